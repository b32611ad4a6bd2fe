package hookgate

// added are the hooks that sessions have added, for a server that was started again.
type added map[string][]map[string]any

func (a added) note(session string, hooks []map[string]any, disable []string) {
	gone := map[any]bool{}
	for _, id := range disable {
		gone[id] = true
	}
	for _, hook := range hooks {
		gone[hook["id"]] = true
	}
	kept := []map[string]any{}
	for _, hook := range a[session] {
		if !gone[hook["id"]] {
			kept = append(kept, hook)
		}
	}
	a[session] = append(kept, hooks...)
}
