"""Prints a C table of the code points that folding of case and marks changes."""

import unicodedata

print("static const struct { unsigned code; const char *text; } FOLDED[] = {")
for code in range(0x80, 0x110000):
    if 0xD800 <= code < 0xE000:
        continue
    character = chr(code)
    bare = "".join(
        one
        for one in unicodedata.normalize("NFD", character)
        if unicodedata.category(one) != "Mn"
    )
    folded = unicodedata.normalize("NFC", bare.upper().lower())
    if folded != character:
        text = "".join(f'\\x{byte:02x}""' for byte in folded.encode())
        print(f'{{{code}, "{text}"}},')
print("};")
