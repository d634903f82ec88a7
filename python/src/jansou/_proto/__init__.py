"""Generated from proto/jansou/env/v1/env.proto by generate_proto.py."""
