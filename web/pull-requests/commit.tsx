/** As much of a commit's name as people use; the whole on hover. */
export const Commit = ({ id }: { id: string }) => <code title={id}>{id.slice(0, 12)}</code>
