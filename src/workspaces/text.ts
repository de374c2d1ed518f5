/** Decodes the first `maxBytes`: a character split at the end is omitted, an invalid byte becomes U+FFFD. */
export function textOf(bytes: Uint8Array, maxBytes: number): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  if (bytes.length <= maxBytes) return decoder.decode(bytes)
  return decoder.decode(bytes.subarray(0, maxBytes), { stream: true })
}
