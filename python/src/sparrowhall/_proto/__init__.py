"""Generated from proto/sparrowhall/env/v1/env.proto by generate_proto.py."""
