package trajectories

import "reflect"

// Fill sets the fields of one struct from the fields of another with the same names, where their
// types can be converted: several files hold the lineage of a row, each under other keys and beside
// other things. Both arguments are pointers; pointers embedded in from must not be nil.
func Fill(to, from any) {
	target, source := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()

	for i := range target.NumField() {
		field := target.Field(i)

		same := source.FieldByName(target.Type().Field(i).Name)
		if same.IsValid() && same.CanConvert(field.Type()) {
			field.Set(same.Convert(field.Type()))
		}
	}
}
