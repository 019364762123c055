//! Plots as SVG, drawn by hand: points on logarithmic axes, bars, and the bow tie. Colours come from the page's style.

use std::collections::BTreeMap;
use std::fmt::Write;

use page::thousands;

use super::ComponentCounts;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 300.0;
/// Room for labels.
const LEFT: f64 = 68.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 42.0;

/// How many nodes have which degree, both axes logarithmic. Above 32, degrees are put together in equal steps of the
/// logarithm and the mean of each step is shown: else there would be a cloud of ones.
pub fn degrees(counts: &BTreeMap<u32, u64>, axis: &str) -> String {
    let points = binned(counts);
    let (Some(x_max), Some(y_max), Some(y_min)) = (
        points.iter().map(|(x, _)| *x).reduce(f64::max),
        points.iter().map(|(_, y)| *y).reduce(f64::max),
        points.iter().map(|(_, y)| *y).reduce(f64::min),
    ) else {
        return nothing();
    };
    let (x_end, y_start, y_end) =
        (x_max.log10().ceil().max(1.0), y_min.log10().floor(), y_max.log10().ceil());
    let y_end = y_end.max(y_start + 1.0);
    let x_at = |x: f64| LEFT + (WIDTH - LEFT - RIGHT) * x.log10() / x_end;
    let y_at = |y: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y.log10() - y_start) / (y_end - y_start);
    let mut svg = open(&format!("how many pages have how many {axis}"));
    for power in 0..=x_end as i32 {
        let x = x_at(10f64.powi(power));
        grid(&mut svg, (x, TOP), (x, HEIGHT - BOTTOM));
        text(&mut svg, (x, HEIGHT - BOTTOM + 16.0), "middle", &power_text(power));
    }
    for power in y_start as i32..=y_end as i32 {
        let y = y_at(10f64.powi(power));
        grid(&mut svg, (LEFT, y), (WIDTH - RIGHT, y));
        text(&mut svg, (LEFT - 6.0, y + 4.0), "end", &power_text(power));
    }
    for (x, y) in points {
        let _ = write!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" class=\"mark\"/>", x_at(x), y_at(y));
    }
    axis_names(&mut svg, axis, "pages");
    svg + "</svg>"
}

/// Points of the plot: degree, and the mean number of nodes of a degree there.
fn binned(counts: &BTreeMap<u32, u64>) -> Vec<(f64, f64)> {
    const EXACT_MAX: u32 = 32;
    const STEPS_A_DECADE: f64 = 12.0;
    let mut bins: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    let mut points = Vec::new();
    for (degree, count) in counts {
        if *degree <= EXACT_MAX {
            points.push((f64::from(*degree), *count as f64));
        } else {
            let step = (f64::from(*degree).log10() * STEPS_A_DECADE) as i64;
            let bin = bins.entry(step).or_default();
            bin.0 += *count as f64;
            bin.1 += f64::from(*degree) * *count as f64;
        }
    }
    for (step, (count, weighted)) in bins {
        let edge = |step: i64| 10f64.powf(step as f64 / STEPS_A_DECADE);
        let degrees = (edge(step + 1).floor() - edge(step).ceil() + 1.0).max(1.0);
        points.push((weighted / count, count / degrees));
    }
    points
}

/// The part of the connected pairs at each distance.
pub fn distances(distribution: &[f64], average: Option<f64>) -> String {
    // The pairs of a node with itself are not shown; a long tail of almost nothing is not either.
    let end = distribution.iter().rposition(|part| *part >= 0.0005).map_or(0, |last| last + 1);
    let parts = distribution.get(1..end.max(1)).unwrap_or_default();
    let Some(highest) = parts.iter().copied().reduce(f64::max).filter(|highest| *highest > 0.0) else {
        return nothing();
    };
    let step = (WIDTH - LEFT - RIGHT) / parts.len() as f64;
    let mut svg = open("distances between pages");
    let y_at = |part: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part / highest;
    for quarter in 0..=4 {
        let part = highest * f64::from(quarter) / 4.0;
        grid(&mut svg, (LEFT, y_at(part)), (WIDTH - RIGHT, y_at(part)));
        text(&mut svg, (LEFT - 6.0, y_at(part) + 4.0), "end", &format!("{:.1} %", 100.0 * part));
    }
    let labels_every = parts.len().div_ceil(12);
    for (place, part) in parts.iter().enumerate() {
        let (x, y) = (LEFT + step * place as f64, y_at(*part));
        let _ = write!(
            svg,
            "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"mark\"><title>{}: {:.2} %</title></rect>",
            x + step * 0.1,
            step * 0.8,
            HEIGHT - BOTTOM - y,
            place + 1,
            100.0 * part
        );
        if place % labels_every == 0 {
            text(&mut svg, (x + step / 2.0, HEIGHT - BOTTOM + 16.0), "middle", &(place + 1).to_string());
        }
    }
    if let Some(average) = average {
        let x = LEFT + step * (average - 0.5);
        let _ = write!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{}\" class=\"mean\"/>",
            HEIGHT - BOTTOM
        );
    }
    axis_names(&mut svg, "links apart", "connected pairs");
    svg + "</svg>"
}

/// IN, the core and OUT as they hang together; areas are in proportion to pages.
pub fn bow_tie(parts: &ComponentCounts) -> String {
    let all =
        (parts.core + parts.inward + parts.out + parts.tendrils + parts.tubes + parts.disconnected).max(1);
    let share = |count: u64| count as f64 / all as f64;
    let (width, height, middle) = (760.0, 260.0, 112.0);
    let mut svg = format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"bow tie\">");
    let radius = 96.0 * share(parts.core).sqrt();
    // A wing of this length is as high as its share says.
    let wing = 170.0;
    let area = std::f64::consts::PI * 96.0 * 96.0;
    let half_height = |count: u64| (area * share(count) / wing / 2.0).min(104.0);
    let centre = width / 2.0;
    for (count, side) in [(parts.inward, -1.0), (parts.out, 1.0)] {
        let (near, far) = (centre + side * (radius + 8.0), centre + side * (radius + 8.0 + wing));
        // A trapezium with this mean height: twice as high outside as at the core.
        let (inner, outer) = (half_height(count) * 2.0 / 3.0, half_height(count) * 4.0 / 3.0);
        let _ = write!(
            svg,
            "<polygon points=\"{near:.1},{:.1} {far:.1},{:.1} {far:.1},{:.1} {near:.1},{:.1}\" class=\"wing\"/>",
            middle - inner,
            middle - outer,
            middle + outer,
            middle + inner
        );
    }
    let _ = write!(svg, "<circle cx=\"{centre}\" cy=\"{middle}\" r=\"{radius:.1}\" class=\"core\"/>");
    let named =
        |name: &str, count: u64| format!("{name} {} · {:.1} %", thousands(count), 100.0 * share(count));
    let side = radius + 8.0 + wing / 2.0;
    for (x, name, count) in
        [(centre - side, "IN", parts.inward), (centre, "core", parts.core), (centre + side, "OUT", parts.out)]
    {
        text(&mut svg, (x, 232.0), "middle", &named(name, count));
    }
    let rest = [
        named("tendrils", parts.tendrils),
        named("tubes", parts.tubes),
        named("disconnected", parts.disconnected),
    ];
    text(&mut svg, (centre, 254.0), "middle", &rest.join(" — "));
    svg + "</svg>"
}

fn nothing() -> String {
    "<p class=\"quiet\">There is nothing to draw.</p>".into()
}

fn open(label: &str) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">")
}

fn grid(svg: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = write!(svg, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"grid\"/>");
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}

fn axis_names(svg: &mut String, x_name: &str, y_name: &str) {
    text(svg, ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6.0), "middle", x_name);
    let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    let _ = write!(
        svg,
        "<text x=\"12\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 12 {middle:.1})\">{y_name}</text>"
    );
}

fn power_text(power: i32) -> String {
    match power {
        0..=3 => thousands(10u64.pow(power as u32)),
        _ => format!("10<tspan dy=\"-5\" font-size=\"9\">{power}</tspan>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_degrees_stand_alone_and_large_ones_together() {
        let counts = BTreeMap::from([(1, 100), (32, 5), (1000, 1), (1010, 1)]);
        let points = binned(&counts);
        assert_eq!(points[..2], [(1.0, 100.0), (32.0, 5.0)]);
        assert_eq!((points.len(), points[2].0), (3, 1005.0));
        assert!(points[2].1 < 0.1);
    }

    #[test]
    fn every_plot_can_be_drawn_of_nothing_and_of_one() {
        let one = BTreeMap::from([(1, 1)]);
        for plot in [
            degrees(&BTreeMap::new(), "x"),
            degrees(&one, "x"),
            distances(&[], None),
            distances(&[1.0], None),
            distances(&[0.5, 0.5], Some(1.0)),
            bow_tie(&ComponentCounts::default()),
            bow_tie(&ComponentCounts { core: 1, ..ComponentCounts::default() }),
        ] {
            assert!(!plot.contains("NaN") && !plot.contains("inf"), "{plot}");
        }
    }
}
