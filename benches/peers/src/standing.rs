//! Where hookgate is behind a peer, or ahead by less than its bar: from the figures, and from nothing else.

use crate::report::{Figure, Measured};

/// A figure that is below what is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Miss<'a> {
    /// Which.
    pub figure: Figure,
    /// What the best peer takes over what hookgate takes.
    pub lead: f64,
    /// The peer.
    pub peer: &'a str,
    /// What is wanted.
    pub bar: f64,
}

impl Measured {
    /// Returns the figures in which a peer is ahead.
    #[must_use]
    pub fn behind(&self) -> Vec<Miss<'_>> {
        self.missed(1.0, 1.0)
    }

    /// Returns the figures that are below a bar, of a case in which no peer is ahead.
    #[must_use]
    pub fn below(&self) -> Vec<Miss<'_>> {
        if self.behind().is_empty() { self.missed(self.bar, self.cold_bar) } else { Vec::new() }
    }

    /// Returns whether the page has to say why.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        !self.behind().is_empty() || !self.below().is_empty()
    }

    fn missed(&self, bar: f64, cold_bar: f64) -> Vec<Miss<'_>> {
        let leads = [
            (Figure::Hot, self.hot_lead(), bar),
            (Figure::Instructions, self.instruction_lead(), 1.0),
            (Figure::Cold, self.cold_lead(), cold_bar),
        ];
        let missed = leads.into_iter().filter_map(|(figure, lead, bar)| {
            let (lead, peer) = lead.filter(|(lead, _)| *lead < bar)?;
            Some(Miss { figure, lead, peer, bar })
        });
        missed.collect()
    }
}
