package questions

import (
	"math"
	"testing"

	"github.com/tidwall/geodesic"
)

const metresInMile = 1_609.344

// geodesicMiles is the length of a geodesic, exact to nanometres.
func geodesicMiles(lat1, long1, lat2, long2 float64) float64 {
	var metres float64
	geodesic.WGS84.Inverse(lat1, long1, lat2, long2, &metres, nil, nil)
	return metres / metresInMile
}

// The expected values of these tests are those of geopy 2 (Karney's geodesics).

func TestAhead(t *testing.T) {
	for _, tt := range []struct{ lat, long, bearing, wantLat, wantLong float64 }{
		{40.75362, -73.98377, 0, 40.79864493260521, -73.98377},
		{40.75362, -73.98377, 90, 40.75360481308885, -73.92456176667585},
		{40.75362, -73.98377, 180, 40.70859471499093, -73.98377},
		{40.75362, -73.98377, 270, 40.75360481308885, -74.04297823332416},
		{40.51, -74.25, 90, 40.509984942343706, -74.1910065611433},
		{40.9, -73.7, 0, 40.94502378636078, -73.7},
		{0, 0, 0, 0.0452184737582471, 0},
		{0, 0, 90, 0, 0.04491576420597607},
		{-33.9, 18.4, 180, -33.94507713198057, 18.4},
		{-33.9, 18.4, 270, -33.89998813951211, 18.34594180316194},
		{65, -20, 90, 64.99996240761476, -19.894012951137462},
	} {
		got := place{tt.lat, tt.long}.ahead(tt.bearing, 5_000)
		if math.Abs(got.lat-tt.wantLat) > 1e-10 || math.Abs(got.long-tt.wantLong) > 1e-10 {
			t.Errorf("5 km from %v, %v to %v: %v, want %v, %v", tt.lat, tt.long, tt.bearing, got, tt.wantLat,
				tt.wantLong)
		}
	}
}

func TestDistances(t *testing.T) {
	for _, tt := range []struct {
		p, q  place
		miles float64
	}{
		{place{40.75362, -73.98377}, place{40.80902, -73.9419}, 4.408700155772196},
		{place{40.6, -74.1}, place{40.6, -74.004}, 5.049019383475928},
		{place{40.6, -74.1}, place{40.6724, -74.1}, 4.995696573669179},
		{place{40.51, -74.25}, place{40.9, -73.7}, 39.475481320331},
		{place{40.7, -74}, place{40.7, -74}, 0},
	} {
		if got := geodesicMiles(tt.p.lat, tt.p.long, tt.q.lat, tt.q.long); math.Abs(got-tt.miles) > 1e-9 {
			t.Errorf("geodesicMiles(%v, %v) = %v, want %v", tt.p, tt.q, got, tt.miles)
		}

		if got := tt.p.metresTo(tt.q) / metresInMile; math.Abs(got-tt.miles) > 1e-5*(0.01+tt.miles) {
			t.Errorf("%v to %v: %v miles, want %v", tt.p, tt.q, got, tt.miles)
		}
	}

	if got := geodesicMiles(0, 0, 0, 1); math.Abs(got*metresInMile-111_319.490793) > 1e-3 { // on the equator
		t.Errorf("a degree of the equator has %v miles", got)
	}
}

// What lies ahead is as far away as one has gone, by either formula.
func TestAheadAndBack(t *testing.T) {
	for lat := -60.0; lat <= 60; lat += 7.5 {
		for bearing := 0.0; bearing < 360; bearing += 15 {
			p := place{lat, 10}

			q := p.ahead(bearing, 16_000)
			if got := geodesicMiles(p.lat, p.long, q.lat, q.long) * metresInMile; math.Abs(got-16_000) > 1e-3 {
				t.Errorf("from %v to %v: %v m by geodesicMiles", p, bearing, got)
			}

			if got := p.metresTo(q); math.Abs(got-16_000) > 0.02 {
				t.Errorf("from %v to %v: %v m by metresTo", p, bearing, got)
			}
		}
	}
}
