"""The site's settings: the only file that reads the environment; .env.example has each name.

A fresh checkout needs none of it: SQLite in `var/`, a generated secret key, loopback hosts, static files from
where they lie. The apps read `settings.GATEWAY` and `settings.ROOMS`, never the environment.
"""

from pathlib import Path

from django.utils.translation import gettext_lazy as _

from quizsite import keyfile, logs
from quizsite.environment import Environment

BASE_DIR = Path(__file__).resolve().parent.parent

env = Environment()
env.read_env(env("ENV_FILE", default=str(BASE_DIR / ".env")))  # the real environment wins over the file

DATA_DIR = Path(env("DATA_DIR", default=str(BASE_DIR / "var")))  # all that the site itself writes

DEBUG = env.switch("DEBUG")
SECRET_KEY = env("SECRET_KEY", default="") or keyfile.read_or_create(DATA_DIR / "secret-key")

# LAN_HOSTS is what `make run` adds, so that it need not know what .env says.
ALLOWED_HOSTS = [
    *env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"]),
    *env.list("LAN_HOSTS", default=[]),
]

# Apps -------------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "daphne",  # first: it replaces runserver by one that speaks WebSocket
    "quizsite",  # before the admin, so that its templates may override the admin's
    "gateway",
    "rooms",
    "debugger",
    "tunnel",
    "channels",
    "servestatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",  # a static file needs none of what follows
    "quizsite.csp.content_security_policy",
    "gateway.sessions.follow",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "quizsite.urls"
ASGI_APPLICATION = "quizsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

GATEWAY = {
    "ALLOWED_ORIGINS": env.list("ALLOWED_ORIGINS", default=[]),
    "TRUSTED_PROXIES": env.list("TRUSTED_PROXIES", default=[]),
    "METRICS_TOKEN": env("METRICS_TOKEN", default=""),
    "METRICS_NETWORKS": env.list("METRICS_NETWORKS", default=[]),
}
ROOMS: dict[str, object] = {
    # Live rooms go on after a restart; empty turns that off.
    "SNAPSHOT_STORE": env("SNAPSHOT_STORE", default=f"file:{DATA_DIR}") or None,
}
# A relay for tunnels, if it has a domain to serve them under; else nothing of it is loaded.
TUNNEL: dict[str, object] | None = None
if tunnel_domain := env("TUNNEL_BASE_DOMAIN", default=""):
    TUNNEL = {"BASE_DOMAIN": tunnel_domain, "TRUSTED_PROXIES": GATEWAY["TRUSTED_PROXIES"]}

# Storage ----------------------------------------------------------------------------------------------------

SQLITE_OPTIONS = {
    "timeout": 5,  # seconds one writer waits for another: longer than any write here
    # A read-then-write transaction that starts as a reader fails at once, timeout or not, when another
    # connection wrote in between; one that starts as a writer waits its turn.
    "transaction_mode": "IMMEDIATE",
    # Readers and the one writer do not block each other; NORMAL is safe against corruption under WAL.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}

if env("DATABASE_URL", default=""):
    DATABASES = {"default": env.database("DATABASE_URL")}
else:
    DATA_DIR.mkdir(mode=keyfile.OWNER_ONLY, parents=True, exist_ok=True)
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATA_DIR / "halyard.sqlite3"}}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env("REDIS_URL", default="")
if REDIS_URL:
    # pub/sub, for the layer carries control messages to every process; the queueing layer would forget its
    # groups after a day (group_expiry).
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [REDIS_URL]},
        }
    }
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

# Static files: hashed and compressed once collectstatic has run, else found where they lie ------------------

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "quizsite.staticstorage.StaticStorage"},
}
STATIC_COLLECTED = (STATIC_ROOT / "staticfiles.json").exists()
SERVESTATIC_USE_MANIFEST = STATIC_COLLECTED
SERVESTATIC_USE_FINDERS = not STATIC_COLLECTED
SERVESTATIC_ALLOW_ALL_ORIGINS = False
# A plain name keeps its name when the file changes: the browser asks each time, and is told 304.
SERVESTATIC_MAX_AGE = 60 if STATIC_COLLECTED else 0

# Languages and time -----------------------------------------------------------------------------------------

USE_I18N = True
LANGUAGE_CODE = "en"
# Those whose catalogues are complete (quizsite/locale/README.md), in the order in which they are offered.
LANGUAGES = [("en", _("English")), ("de", _("German")), ("ar", _("Arabic"))]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600  # seconds: a choice is for more than one lesson
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "quizsite" / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

# Security ---------------------------------------------------------------------------------------------------

# Plain http stays possible, for a classroom's network has no certificates; HTTPS=on is the public site.
HTTPS = env.switch("HTTPS")
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # a probe asks the process itself, by plain http
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"  # not Strict: a link to a room in a chat must find the player's session
# Off by default, for a browser remembers it and the site cannot take it back.
SECURE_HSTS_SECONDS = env.count("HSTS_SECONDS")
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.switch("HSTS_SUBDOMAINS")
SECURE_HSTS_PRELOAD = env.switch("HSTS_PRELOAD")
# Only behind a proxy that sets or removes this header itself: else any client may claim to come by https.
if proto_header := env("PROXY_PROTO_HEADER", default=""):
    SECURE_PROXY_SSL_HEADER = ("HTTP_" + proto_header.upper().replace("-", "_"), "https")
# Browsers ignore it on plain http, and complain in the console.
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin" if HTTPS else None
X_FRAME_OPTIONS = "DENY"

CSP_POLICY = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],  # a question's flag comes inside its message, as an SVG data: URL
    "font-src": ["'self'"],
    "connect-src": [
        "'self'"
    ],  # includes the WebSocket: same host and port, ws: for http: and wss: for https:
    "manifest-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# Logs -------------------------------------------------------------------------------------------------------

LOGGING = logs.config(
    form=env("LOG_FORMAT", default="text"),
    level=env("LOG_LEVEL", default="INFO"),
)
