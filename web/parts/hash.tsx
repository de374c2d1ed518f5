export const Hash = ({ sha256 }: { sha256: string }) => <code title={`sha256:${sha256}`}>{sha256.slice(0, 12)}…</code>
