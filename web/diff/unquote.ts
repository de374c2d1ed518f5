const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

/** Decodes a file name as git writes it: a name with unusual characters is quoted, with C escapes and octal bytes. */
export function unquoted(name: string): string {
  if (!/^".*"$/s.test(name)) return name
  const bytes: number[] = []
  for (const [, octal, escape, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (escape !== undefined) bytes.push(...(escapes[escape] === undefined ? encode(escape) : [escapes[escape]]))
    else bytes.push(...encode(plain ?? ''))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
