//! What cannot be read at any place is first written out as lines of JSON, once.
//!
//! Compressed lines are decompressed as they are. A row of a Parquet file becomes `{"id":…,"text":…}`; only the two
//! columns are read. So everything behind this file knows lines of JSON and nothing else.
//!
//! Cost: the plain texts once on the disk, in the work folder.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use flate2::bufread::MultiGzDecoder;
use parquet::basic::Type as PhysicalType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::Type;
use serde::Serialize;

use super::json_line::FieldNames;
use crate::output::hinted;

/// Decompresses a file of lines. What stands behind the place where it is broken is lost; the error says so.
pub fn spool_gzip(source: &Path, target: &Path) -> anyhow::Result<()> {
    let name = || source.display().to_string();
    let mut decoder = MultiGzDecoder::new(BufReader::new(File::open(source).with_context(name)?));
    let mut out = File::create(target).with_context(|| target.display().to_string())?;
    io::copy(&mut decoder, &mut out).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => hinted(
            format!("`{}` cannot be decompressed: {error}", source.display()),
            "check it with `gzip -t`; a file that is not compressed must not end in .gz",
        ),
        _ => anyhow::Error::from(error).context(name()),
    })?;
    Ok(())
}

/// A row of a Parquet file.
#[derive(Serialize)]
struct Record<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<std::borrow::Cow<'r, str>>,
    text: Option<std::borrow::Cow<'r, str>>,
}

/// Writes the rows of a Parquet file as lines of JSON. An id that is not there is left out.
pub fn spool_parquet(source: &Path, names: &FieldNames, target: &Path) -> anyhow::Result<()> {
    let damaged = |error: &dyn std::fmt::Display| {
        hinted(
            format!("`{}` cannot be read as a Parquet file: {error}", source.display()),
            "files whose name ends in .parquet must be Parquet files, compressed by snappy, zstd, gzip or lz4",
        )
    };
    let file = File::open(source).with_context(|| source.display().to_string())?;
    let reader = SerializedFileReader::new(file).map_err(|error| damaged(&error))?;
    let schema = projection(source, reader.metadata().file_metadata().schema(), names)?;
    let rows = reader.get_row_iter(Some(schema)).map_err(|error| damaged(&error))?;
    let mut out = BufWriter::new(File::create(target).with_context(|| target.display().to_string())?);
    for row in rows {
        let row = row.map_err(|error| damaged(&error))?;
        let field = |name: &str| row.get_column_iter().find(|(column, _)| *column == name);
        let record = Record {
            id: field(&names.id).and_then(|(_, field)| as_text(field)),
            text: field(&names.text).and_then(|(_, field)| as_text(field)),
        };
        serde_json::to_writer(&mut out, &record)?;
        out.write_all(b"\n")?;
    }
    out.flush().with_context(|| target.display().to_string())
}

/// The schema with only the columns that are wanted.
fn projection(source: &Path, schema: &Type, names: &FieldNames) -> anyhow::Result<Type> {
    let columns = schema.get_fields();
    let column = |name: &str| columns.iter().find(|column| column.name() == name);
    let is_text =
        |column: &Arc<Type>| column.is_primitive() && column.get_physical_type() == PhysicalType::BYTE_ARRAY;
    let Some(text) = column(&names.text).filter(|column| is_text(column)) else {
        let there: Vec<&str> =
            columns.iter().filter(|column| is_text(column)).map(|column| column.name()).collect();
        return Err(hinted(
            format!("`{}` has no column `{}` of texts", source.display(), names.text),
            format!("choose a column with --text-field; there are: {}", there.join(", ")),
        ));
    };
    let id = column(&names.id).filter(|column| column.is_primitive() && names.id != names.text);
    let fields = id.into_iter().chain([text]).cloned().collect();
    Ok(Type::group_type_builder(schema.name()).with_fields(fields).build()?)
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
