package questions

import "math"

// The ellipsoid of WGS-84, which maps and the published answers use.
const (
	earthMajor = 6_378_137.0         // the equatorial radius in metres
	earthFlat  = 1 / 298.257_223_563 // the flattening
	earthMinor = earthMajor * (1 - earthFlat)
	earthOblat = earthFlat * (2 - earthFlat) // the first eccentricity, squared

	metresInMile = 1_609.344
)

// place is a point on the ellipsoid, in degrees.
type place struct{ lat, long float64 }

func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }
func degrees(radians float64) float64 { return radians * (180 / math.Pi) }

// metresTo returns the length of the geodesic to q, by Gauss's mid-latitude formula. It is for neighbours,
// where its error is that of a plane: less than 1 cm in 20 km.
func (p place) metresTo(q place) float64 {
	sin, cos := math.Sincos(radians((p.lat + q.lat) / 2))
	w := 1 - earthOblat*sin*sin
	across := earthMajor / math.Sqrt(w) // the radius of curvature across the meridian, and along it
	along := across * (1 - earthOblat) / w

	return math.Hypot(along*radians(q.lat-p.lat), across*cos*radians(q.long-p.long))
}

// The series of Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid with application of nested
// equations", Survey Review 23 (1975). They are good to a millimetre.

// vincenty returns the coefficients A and B of a geodesic whose azimuth at the equator has this squared cosine.
func vincenty(cos2 float64) (a, b float64) {
	u2 := cos2 * (earthMajor*earthMajor - earthMinor*earthMinor) / (earthMinor * earthMinor)
	return 1 + u2/16384*(4096+u2*(-768+u2*(320-175*u2))), u2 / 1024 * (256 + u2*(-128+u2*(74-47*u2)))
}

// vincentyDelta returns how much shorter than on the sphere an arc of the length sigma is, whose middle is at m.
func vincentyDelta(b, sigma, cosM2 float64) float64 {
	sin, cos := math.Sincos(sigma)
	return b * sin * (cosM2 + b/4*(cos*(-1+2*cosM2*cosM2)-b/6*cosM2*(-3+4*sin*sin)*(-3+4*cosM2*cosM2)))
}

// vincentyC returns the coefficient C.
func vincentyC(cos2 float64) float64 {
	return earthFlat / 16 * cos2 * (4 + earthFlat*(4-3*cos2))
}

// vincentySteps is more than enough for the iterations to settle, but between points on opposite sides of the Earth.
const vincentySteps = 100

// ahead returns the point that one comes to on the geodesic that starts at p in a direction, in degrees clockwise from
// north.
func (p place) ahead(bearing, metres float64) place {
	sinBearing, cosBearing := math.Sincos(radians(bearing))
	tanU := (1 - earthFlat) * math.Tan(radians(p.lat))
	cosU := 1 / math.Hypot(1, tanU)
	sinU := tanU * cosU
	sigma1 := math.Atan2(tanU, cosBearing)
	sinAlpha := cosU * sinBearing
	cos2 := 1 - sinAlpha*sinAlpha
	a, b := vincenty(cos2)

	straight := metres / (earthMinor * a)

	sigma, cosM2 := straight, 0.0
	for range vincentySteps {
		cosM2 = math.Cos(2*sigma1 + sigma)
		next := straight + vincentyDelta(b, sigma, cosM2)

		settled := math.Abs(next-sigma) < 1e-15
		if sigma = next; settled {
			break
		}
	}

	sin, cos := math.Sincos(sigma)
	lat := math.Atan2(sinU*cos+cosU*sin*cosBearing,
		(1-earthFlat)*math.Hypot(sinAlpha, sinU*sin-cosU*cos*cosBearing))
	lambda := math.Atan2(sin*sinBearing, cosU*cos-sinU*sin*cosBearing)
	c := vincentyC(cos2)
	long := lambda - (1-c)*earthFlat*sinAlpha*(sigma+c*sin*(cosM2+c*cos*(-1+2*cosM2*cosM2)))

	return place{degrees(lat), p.long + degrees(long)}
}

// geodesicMiles is the length of a geodesic in miles, by Vincenty's inverse formula: a second opinion on metresTo for
// queries. Of points on opposite sides of the Earth it is not known.
func geodesicMiles(lat1, long1, lat2, long2 float64) float64 {
	if lat1 == lat2 && long1 == long2 {
		return 0
	}

	reduced := func(lat float64) (sin, cos float64) {
		return math.Sincos(math.Atan((1 - earthFlat) * math.Tan(radians(lat))))
	}
	sin1, cos1 := reduced(lat1)
	sin2, cos2 := reduced(lat2)
	apart := radians(long2 - long1)
	lambda := apart
	var sigma, sinSigma, cosSigma, cosAlpha2, cosM2 float64

	for range vincentySteps {
		sin, cos := math.Sincos(lambda)
		sinSigma = math.Hypot(cos2*sin, cos1*sin2-sin1*cos2*cos)
		cosSigma = sin1*sin2 + cos1*cos2*cos
		sigma = math.Atan2(sinSigma, cosSigma)
		sinAlpha := cos1 * cos2 * sin / sinSigma

		cosAlpha2, cosM2 = 1-sinAlpha*sinAlpha, 0 // 0 on the equator
		if cosAlpha2 > 0 {
			cosM2 = cosSigma - 2*sin1*sin2/cosAlpha2
		}

		c := vincentyC(cosAlpha2)
		next := apart + (1-c)*earthFlat*sinAlpha*(sigma+c*sinSigma*(cosM2+c*cosSigma*(-1+2*cosM2*cosM2)))

		settled := math.Abs(next-lambda) < 1e-13
		if lambda = next; settled {
			break
		}
	}

	a, b := vincenty(cosAlpha2)

	return earthMinor * a * (sigma - vincentyDelta(b, sigma, cosM2)) / metresInMile
}
