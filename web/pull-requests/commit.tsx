/** Shows an abbreviated commit id, with the full id on hover. */
export const Commit = ({ id }: { id: string }) => <code title={id}>{id.slice(0, 12)}</code>
