package hookgate

# Files with credentials stay unread, by every tool.
deny contains msg if {
	some read in input.effects.reads
	regex.match(`(^|/)(\.env(\.[^/]*)?|[^/]*\.pem)$`, read.path)
	not endswith(read.path, ".env.example")
	msg := sprintf("%s reads %s, which may hold credentials", [read.by, read.path])
}

# What is deleted is in the folder of the session, and never the folder itself.
deny contains msg if {
	some gone in input.effects.deletes
	not startswith(gone.path, concat("", [input.cwd, "/"]))
	msg := sprintf("%s deletes %s, outside of the project", [gone.by, gone.path])
}

# Publishing is for people.
deny contains msg if {
	some run in input.effects.runs
	words := concat(" ", array.concat([run.program], run.args))
	some publishing in data.publishing
	startswith(words, publishing)
	msg := sprintf("`%s` publishes: ask a person to do it", [publishing])
}

# Hosts that are not listed are for the user to decide.
ask contains msg if {
	some connection in input.effects.connects
	not connection.host in data.hosts
	msg := sprintf("%s connects to %s", [connection.by, connection.host])
}

# So is what cannot be told before it runs.
ask contains msg if {
	some unclear in input.effects.unclear
	msg := sprintf("it cannot be told what this does: %s", [unclear.why])
}
