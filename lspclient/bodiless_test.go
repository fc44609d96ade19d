package lspclient

import "testing"

func TestBodiless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"();":                     true,
		"(int n) const override;": true,
		" (int (*f)(int), char c = ';') noexcept(true) ;": true,
		"()(int) const;":                      true, // of operator()
		"(const a::B &b) -> a::C;":            true,
		"==(const B &b) const;":               true, // of operator==
		"(int n = 3);":                        true,
		"(/* ; { */ int n) // {\n;":           true,
		"(int n = f({1, 2}));":                true,
		"(const char *s = \"){\");":           true,
		"() = 0;":                             false,
		"() const = default;":                 false,
		"() = delete;":                        false,
		"() const { return 1; }":              false,
		"(int n) : n_(n) {}":                  false,
		"() override try { } catch (...) { }": false,
		" : Base {};":                         false, // a class
		" { int a(); };":                      false,
		";":                                   false, // a variable
		");":                                  false, // an argument
		"":                                    false,
		"(":                                   false,
		"(int n)":                             false,
		"(\"":                                 false,
		"(/*":                                 false,
	} {
		if got := bodiless([]byte(text)); got != want {
			t.Errorf("bodiless(%q) = %v", text, got)
		}
	}
}
