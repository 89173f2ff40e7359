-- Returns the token, if there is one.
-- KEYS: token.
return token(KEYS[1])
