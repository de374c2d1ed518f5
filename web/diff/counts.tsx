import { figure } from '../text.ts'

export const Counts = ({ added, removed }: { added: number; removed: number }) => (
  <span className="diff-counts figure">
    <span className="plus">+{figure(added)}</span> <span className="minus">−{figure(removed)}</span>
  </span>
)
