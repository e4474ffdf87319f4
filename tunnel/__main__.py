"""``python -m tunnel NAME …``: the client without Django."""

import sys

from tunnel.client.main import main

sys.exit(main(sys.argv[1:], "python -m tunnel"))
