//! Lines over two logarithmic axes, as a Markdown table and as SVG.

use std::fmt::Write as _;

/// Lines over a logarithmic x and a logarithmic y.
#[derive(Debug)]
pub struct Plot {
    title: String,
    x_name: String,
    y_name: String,
    lines: Vec<(String, Vec<(f64, f64)>)>,
}

impl Plot {
    /// A plot without lines.
    pub fn new(title: &str, x_name: &str, y_name: &str) -> Self {
        Self { title: title.into(), x_name: x_name.into(), y_name: y_name.into(), lines: Vec::new() }
    }

    /// Adds a point to a line, and the line if it is new. All lines get the same xs.
    pub fn add(&mut self, line: &str, x: f64, y: f64) {
        match self.lines.iter_mut().find(|(name, _)| name == line) {
            Some((_, points)) => points.push((x, y)),
            None => self.lines.push((line.into(), vec![(x, y)])),
        }
    }

    /// The title as the name of a file.
    pub fn file_name(&self) -> String {
        let mut name = String::new();
        for letter in self.title.chars() {
            if letter.is_ascii_alphanumeric() {
                name.push(letter.to_ascii_lowercase());
            } else if !name.ends_with('-') {
                name.push('-');
            }
        }
        format!("{}.svg", name.trim_end_matches('-'))
    }

    /// The points as a Markdown table.
    pub fn table(&self) -> String {
        let names: Vec<&str> = self.lines.iter().map(|(name, _)| name.as_str()).collect();
        let mut table =
            format!("## {} ({})\n\n| {} | {} |\n", self.title, self.y_name, self.x_name, names.join(" | "));
        table += &"|---".repeat(names.len() + 1);
        table += "|\n";
        for row in 0..self.lines[0].1.len() {
            write!(table, "| {}", self.lines[0].1[row].0).expect("a string takes all");
            for (_, points) in &self.lines {
                let (_, y) = points[row];
                // Counts of a few filters need their fractions.
                let digits = if y < 10.0 && y.fract() != 0.0 { 1 } else { 0 };
                write!(table, " | {y:.digits$}").expect("a string takes all");
            }
            table += " |\n";
        }
        table
    }

    /// The picture.
    pub fn svg(&self) -> String {
        const COLOURS: [&str; 5] = ["#888888", "#2ca02c", "#1f77b4", "#d62728", "#9467bd"];
        let (width, height, edge) = (640.0, 400.0, 60.0);
        let all = || self.lines.iter().flat_map(|(_, points)| points);
        let range = |of: fn(&(f64, f64)) -> f64| {
            let values = || all().map(of).map(|value| value.max(0.1).log10());
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(-9.0, f64::max));
            (low.floor(), high.ceil().max(low.floor() + 1.0))
        };
        let (x_range, y_range) = (range(|point| point.0), range(|point| point.1));
        let x_at =
            |x: f64| edge + (x.max(0.1).log10() - x_range.0) / (x_range.1 - x_range.0) * (width - 2.0 * edge);
        let y_at = |y: f64| {
            height - edge - (y.max(0.1).log10() - y_range.0) / (y_range.1 - y_range.0) * (height - 2.0 * edge)
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"{edge}\" y=\"24\" font-size=\"15\">{}</text>\n<text x=\"{}\" y=\"{}\">{}</text>\n\
             <text x=\"8\" y=\"48\">{}</text>\n",
            self.title,
            width / 2.0 - 30.0,
            height - 14.0,
            self.x_name,
            self.y_name
        );
        let mut line = |from: (f64, f64), to: (f64, f64), label: String, at: (f64, f64)| {
            writeln!(
                svg,
                "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
                from.0, from.1, to.0, to.1, at.0, at.1
            )
            .expect("a string takes all");
        };
        for power in x_range.0 as i32..=x_range.1 as i32 {
            let x = x_at(10f64.powi(power));
            line((x, edge), (x, height - edge), format!("1e{power}"), (x - 8.0, height - edge + 16.0));
        }
        for power in y_range.0 as i32..=y_range.1 as i32 {
            let y = y_at(10f64.powi(power));
            line((edge, y), (width - edge, y), format!("1e{power}"), (edge - 34.0, y + 4.0));
        }
        for ((name, points), colour) in self.lines.iter().zip(COLOURS.iter().cycle()) {
            let path: Vec<String> =
                points.iter().map(|(x, y)| format!("{:.1},{:.1}", x_at(*x), y_at(*y))).collect();
            for (x, y) in points {
                let (x, y) = (x_at(*x), y_at(*y));
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>")
                    .expect("a string takes all");
            }
            let (x, y) = points[points.len() - 1];
            writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
                path.join(" "),
                x_at(x) + 4.0,
                y_at(y) + 4.0
            )
            .expect("a string takes all");
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_a_table_and_a_picture() {
        let mut plot = Plot::new("search, filled (1 %)", "filters", "ns");
        for (x, y) in [(10.0, 5.0), (100.0, 50.0)] {
            plot.add("tree", x, y);
            plot.add("flat", x, y * 2.0);
        }
        assert_eq!(plot.file_name(), "search-filled-1.svg");
        assert!(
            plot.table()
                .ends_with("| filters | tree | flat |\n|---|---|---|\n| 10 | 5 | 10 |\n| 100 | 50 | 100 |\n")
        );
        assert_eq!(plot.svg().matches("<polyline").count(), 2);
    }
}
