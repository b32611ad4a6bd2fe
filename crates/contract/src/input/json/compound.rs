//! What has parts, as serde hands it over to a serializer: through seven traits that differ in little but their names.

/// Implements these traits for a type that has the methods `element`, `key`, `value`, `field` and `finish`.
macro_rules! compounds {
    ($type:ty, $error:ty) => {
        compounds!(@list $type, $error, SerializeSeq::serialize_element);
        compounds!(@list $type, $error, SerializeTuple::serialize_element);
        compounds!(@list $type, $error, SerializeTupleStruct::serialize_field);
        compounds!(@list $type, $error, SerializeTupleVariant::serialize_field);
        compounds!(@fields $type, $error, SerializeStruct);
        compounds!(@fields $type, $error, SerializeStructVariant);

        impl serde::ser::SerializeMap for $type {
            type Ok = ();
            type Error = $error;

            #[inline]
            fn serialize_key<T: serde::Serialize + ?Sized>(&mut self, key: &T) -> std::result::Result<(), $error> {
                self.key(key)
            }

            #[inline]
            fn serialize_value<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> std::result::Result<(), $error> {
                self.value(value)
            }

            #[inline]
            fn end(self) -> std::result::Result<(), $error> {
                self.finish()
            }
        }
    };
    (@list $type:ty, $error:ty, $trait:ident::$method:ident) => {
        impl serde::ser::$trait for $type {
            type Ok = ();
            type Error = $error;

            #[inline]
            fn $method<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> std::result::Result<(), $error> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> std::result::Result<(), $error> {
                self.finish()
            }
        }
    };
    (@fields $type:ty, $error:ty, $trait:ident) => {
        impl serde::ser::$trait for $type {
            type Ok = ();
            type Error = $error;

            #[inline]
            fn serialize_field<T: serde::Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> std::result::Result<(), $error> {
                self.field(name, value)
            }

            #[inline]
            fn end(self) -> std::result::Result<(), $error> {
                self.finish()
            }
        }
    };
}

pub(super) use compounds;
