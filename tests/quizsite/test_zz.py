import pytest
@pytest.fixture(scope="module")
def r(django_db_setup, django_db_blocker):
    from django.db import connection
    with django_db_blocker.unblock():
        print(connection.settings_dict["NAME"], connection.introspection.table_names())
    return 1
def test_x(r): assert 0
