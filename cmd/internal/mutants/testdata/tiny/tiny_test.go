package tiny

import "testing"

func TestMiddle(t *testing.T) {
	if m, err := Middle(2, 6); m != 4 || err != nil {
		t.Errorf("Middle(2, 6) = %d, %v", m, err)
	}

	if _, err := Middle(3, 2); err == nil {
		t.Error("Middle(3, 2) is no error")
	}
}

func TestCount(t *testing.T) {
	if n := Count([]int{1, -1, 2, 3}, 1, 3); n != 3 {
		t.Errorf("Count = %d", n)
	}
}

func TestForever(t *testing.T) { Forever(2) }

func TestOdd(t *testing.T) {
	n := 3
	if odd := Odd(func() int { n++; return n }); odd != 5 {
		t.Errorf("Odd = %d", odd)
	}
}
