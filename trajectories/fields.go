package trajectories

import "reflect"

// Fill sets the fields of a struct from those of another that are called the same, where their
// types can be converted: the lineage of a row stands in several files, in each with other keys and
// beside other things. Both are pointers; structs that are embedded in from by a pointer have to be
// there.
func Fill(to, from any) {
	into, of := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()

	for i := range into.NumField() {
		field := into.Field(i)

		same := of.FieldByName(into.Type().Field(i).Name)
		if same.IsValid() && same.CanConvert(field.Type()) {
			field.Set(same.Convert(field.Type()))
		}
	}
}
