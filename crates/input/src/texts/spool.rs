//! What cannot be read at any place is first written out as lines of JSON, once.
//!
//! Compressed lines are decompressed as they are. A row of a Parquet file becomes `{"id":…,"text":…}`; only the two
//! columns are read. So everything behind this file knows lines of JSON and nothing else.
//!
//! Cost: the plain texts once on the disk, in the work folder.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use parquet::basic::Type as PhysicalType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;
use serde::Serialize;
use serde_json::Value;

use super::{Failure, FieldNames};
use crate::Error;

/// Decompresses a file of lines. One that is broken somewhere is left out as a whole.
pub fn spool_gzip(source: &Path, target: &Path) -> Result<(), Failure> {
    let mut decoder = MultiGzDecoder::new(BufReader::new(Failure::open(source)?));
    let not_written = |error| Failure::Work(Error::not_written(target, error));
    let mut out = File::create(target).map_err(not_written)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = match decoder.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(Failure::Broken(Error::NotGzip { path: source.to_owned(), source: error }));
            }
        };
        out.write_all(&buffer[..length]).map_err(not_written)?;
    }
}

/// A row of a Parquet file.
#[derive(Serialize)]
struct Record<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    text: Option<std::borrow::Cow<'r, str>>,
}

/// Writes the rows of a Parquet file as lines of JSON. An id that is not there is left out.
pub fn spool_parquet(source: &Path, names: &FieldNames, target: &Path) -> Result<(), Failure> {
    let damaged = |error: ParquetError| Failure::Broken(Error::not_parquet(source, error));
    let reader = SerializedFileReader::new(Failure::open(source)?).map_err(damaged)?;
    let schema =
        projection(source, reader.metadata().file_metadata().schema(), names).map_err(Failure::Broken)?;
    let rows = reader.get_row_iter(Some(schema)).map_err(damaged)?;
    let not_written = |error: io::Error| Failure::Work(Error::not_written(target, error));
    let mut out = BufWriter::new(File::create(target).map_err(not_written)?);
    for row in rows {
        let row = row.map_err(damaged)?;
        let field = |name: &str| row.get_column_iter().find(|(column, _)| *column == name);
        let record = Record {
            id: field(&names.id).and_then(|(_, field)| as_id(field)),
            text: field(&names.text).and_then(|(_, field)| as_text(field)),
        };
        serde_json::to_writer(&mut out, &record).map_err(io::Error::from).map_err(not_written)?;
        out.write_all(b"\n").map_err(not_written)?;
    }
    out.flush().map_err(not_written)
}

/// The schema with only the columns that are wanted.
fn projection(source: &Path, schema: &Type, names: &FieldNames) -> Result<Type, Error> {
    let columns = schema.get_fields();
    let column = |name: &str| columns.iter().find(|column| column.name() == name);
    let is_text =
        |column: &Arc<Type>| column.is_primitive() && column.get_physical_type() == PhysicalType::BYTE_ARRAY;
    let Some(text) = column(&names.text).filter(|column| is_text(column)) else {
        let there = columns.iter().filter(|column| is_text(column)).map(|column| column.name().to_owned());
        return Err(Error::NoColumn {
            path: source.to_owned(),
            column: names.text.clone(),
            there: there.collect(),
        });
    };
    let id = column(&names.id).filter(|column| column.is_primitive() && names.id != names.text);
    let fields = id.into_iter().chain([text]).cloned().collect();
    let projected = Type::group_type_builder(schema.name()).with_fields(fields).build();
    projected.map_err(|error| Error::not_parquet(source, error))
}

/// Numbers stay numbers, everything else is text.
fn as_id(field: &Field) -> Option<Value> {
    let text = as_text(field)?;
    let is_number = matches!(
        field,
        Field::Byte(_)
            | Field::Short(_)
            | Field::Int(_)
            | Field::Long(_)
            | Field::UByte(_)
            | Field::UShort(_)
            | Field::UInt(_)
            | Field::ULong(_)
            | Field::Float(_)
            | Field::Double(_)
    );
    let number = is_number.then(|| text.parse().ok().map(Value::Number)).flatten();
    Some(number.unwrap_or_else(|| Value::String(text.into_owned())))
}

/// Texts and numbers as text; what is neither is not there.
fn as_text(field: &Field) -> Option<std::borrow::Cow<'_, str>> {
    match field {
        Field::Str(text) => Some(text.into()),
        Field::Bytes(bytes) => Some(String::from_utf8_lossy(bytes.data())),
        Field::Null | Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => None,
        number => Some(number.to_string().into()),
    }
}
