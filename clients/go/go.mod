module hookgate.dev/hookgate

go 1.19
