# The server of tables as a container: docker build -t sparrowhall . && docker run -p 50051:50051 -e SPARROWHALL_TOKEN=... sparrowhall
# The program is static and keeps no files. docs/serving.md has the flags; any other verb can
# take the place of serve.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
	go build -trimpath -buildvcs=false -ldflags='-s -w' -o /sparrowhall ./cmd/sparrowhall

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /sparrowhall /sparrowhall
EXPOSE 50051
USER nonroot
ENTRYPOINT ["/sparrowhall"]
CMD ["serve", "--listen", "0.0.0.0:50051"]
