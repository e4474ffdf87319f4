"""Where the pages' static files get their names: hashed once `collectstatic` has run, plain before.

A fresh checkout serves without a build step, so a missing manifest is a state and not an error. Which files
are served, and from where, is `quizsite.settings` (SERVESTATIC_*).
"""

from servestatic.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    # Modules import each other by relative path; without this their imports would keep the plain names
    # and a cached old module could meet a new one.
    support_js_module_import_aggregation = True

    def stored_name(self, name: str) -> str:
        """The hashed name, or `name` itself when there is no manifest to look it up in."""
        return super().stored_name(name) if self.hashed_files else name
