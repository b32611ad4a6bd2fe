//! Server-sent events: the form in which a server over HTTP may send several messages for one request.

/// Splits a stream of bytes into the data of its events.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    /// What was read and is not a whole line yet.
    rest: Vec<u8>,
    /// The data of the event that is not at its end yet.
    data: Vec<u8>,
    has_data: bool,
}

impl EventStream {
    /// Adds bytes, and returns the data of the events that are whole now.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.rest.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let mut line: Vec<u8> = self.rest.drain(..=end).collect();
            line.pop();
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if let Some(event) = self.take_line(&line) {
                events.push(event);
            }
        }
        events
    }

    /// Returns how many bytes are held.
    pub(crate) fn len(&self) -> usize {
        self.rest.len() + self.data.len()
    }

    /// Returns what is held, to be searched for a decision.
    pub(crate) fn held(&self) -> Vec<u8> {
        [self.data.as_slice(), &self.rest].concat()
    }

    fn take_line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_empty() {
            let is_event = std::mem::take(&mut self.has_data);
            let data = std::mem::take(&mut self.data);
            return is_event.then_some(data);
        }
        // Other fields (event, id, retry) and comments say nothing about the message.
        let data = line.strip_prefix(b"data:")?;
        if self.has_data {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        self.has_data = true;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_whole_wherever_the_stream_is_cut() {
        let text = b": hello\r\nevent: message\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 7\ndata:x\n\n\ndata: rest";
        for cut in 0..text.len() {
            let mut stream = EventStream::default();
            let (first, second) = text.split_at(cut);
            let mut events = stream.feed(first);
            events.extend(stream.feed(second));
            assert_eq!(events, [b"{\"a\":\n1}".to_vec(), b"x".to_vec()], "{cut}");
            assert_eq!(stream.held(), b"data: rest");
        }
    }
}
