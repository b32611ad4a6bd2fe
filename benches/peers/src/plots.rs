//! Plots as SVG.

use std::path::Path;

use plotters::prelude::*;

use crate::error::PeersError;
use crate::scale::{Plot, Shows};

/// How large a plot is.
const SIZE: (u32, u32) = (760, 420);

/// The colours of the systems, in every plot the same: told apart by readers who do not see red and green, too.
const COLOURS: [(&str, RGBColor); 4] = [
    ("hookgate", RGBColor(0, 90, 181)),
    ("defect", RGBColor(220, 50, 32)),
    ("CPEX", RGBColor(230, 159, 0)),
    ("Meerkat", RGBColor(110, 110, 110)),
];

/// Draws a plot with logarithmic axes.
///
/// # Errors
/// The file cannot be written.
pub fn draw(plot: &Plot, file: &Path) -> Result<(), PeersError> {
    drawn(plot, file)
        .map_err(|error| PeersError::Plot { plot: plot.name.clone(), said: error.to_string() })
}

fn drawn(plot: &Plot, file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let points = || plot.lines.iter().flat_map(|(_, points)| points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        let least = points().map(of).fold(f64::INFINITY, f64::min);
        let most = points().map(of).fold(0.0, f64::max);
        (least, most.max(least * 2.0))
    };
    let ((left, right), (bottom, top)) = (range(|point| point.0), range(|point| point.1));
    let (shown, label): (_, fn(f64) -> String) = match plot.shows {
        Shows::Nanoseconds => ("time", nanoseconds),
        Shows::PerSecond => ("a second", short),
    };
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(&plot.title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(38)
        .y_label_area_size(70)
        .build_cartesian_2d((left..right).log_scale(), (bottom / 1.5..top * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(&plot.grows)
        .y_desc(shown)
        .x_label_formatter(&|value| short(*value))
        .y_label_formatter(&|value| label(*value))
        .draw()?;
    for (name, points) in &plot.lines {
        let known = COLOURS.iter().find(|(known, _)| known == name);
        let colour = known.map_or(BLACK, |(_, colour)| *colour);
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style).point_size(3))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    area.present()?;
    Ok(())
}

fn short(value: f64) -> String {
    match value {
        below if below < 1e3 => format!("{below:.0}"),
        below if below < 1e6 => format!("{:.0}k", below / 1e3),
        above => format!("{:.0}M", above / 1e6),
    }
}

fn nanoseconds(value: f64) -> String {
    match value {
        below if below < 1e3 => format!("{below:.0} ns"),
        below if below < 1e6 => format!("{:.0} µs", below / 1e3),
        below if below < 1e9 => format!("{:.0} ms", below / 1e6),
        above => format!("{:.0} s", above / 1e9),
    }
}
