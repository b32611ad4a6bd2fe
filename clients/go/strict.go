package hookgate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// parse reads one JSON value strictly: a key that stands twice, or bytes that are no text, are errors, and numbers keep
// their digits.
func parse(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is no UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := next(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something stands behind the value")
	}
	return value, nil
}

func next(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return object(decoder)
	case json.Delim('['):
		values := []any{}
		for decoder.More() {
			value, err := next(decoder)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		_, err := decoder.Token()
		return values, err
	default:
		return token, nil
	}
}

func object(decoder *json.Decoder) (any, error) {
	fields := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, isText := token.(string)
		if _, isThere := fields[key]; isThere || !isText {
			return nil, fmt.Errorf("the key %q stands twice", key)
		}
		if fields[key], err = next(decoder); err != nil {
			return nil, err
		}
	}
	_, err := decoder.Token()
	return fields, err
}

// encode returns the text of a value as it stands, without what encoding/json would change for a web page.
func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, because(&Refused{Name: "invalid_step", Why: fmt.Sprintf("the step is no JSON: %v", err)})
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
