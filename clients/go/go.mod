module github.com/hookgate/hookgate/clients/go

go 1.19
