import { escapeHidden } from '../../src/kernel/escape-hidden.ts'
import type { FileReview, FileStart } from '../../src/work/trusted-files/contract.ts'
import { counted } from '../text.ts'

export const needsTrust = ({ starts, trusted }: FileReview): boolean => starts.length > 0 && !trusted

/** Shows everything that a file starts, in full. */
export function Starts({ name, review }: { name: string; review: FileReview }) {
  const title = escapeHidden(name)
  if (review.starts.length === 0) return <p>{title} starts nothing, so it needs no trust.</p>
  return (
    <>
      <p>
        <strong>{title}</strong> starts {counted(review.starts.length, 'command')}
        {review.trusted && ' and is trusted already'}:
      </p>
      <ul className="plain">
        {review.starts.map((start) => (
          <li key={`${start.where} ${start.text}`}>
            <Start {...start} />
          </li>
        ))}
      </ul>
      {review.difference !== null && (
        <>
          <p>Since a file of this name was trusted, these lines have changed:</p>
          <pre>{review.difference.map(escapeHidden).join('\n')}</pre>
        </>
      )}
    </>
  )
}

const Start = ({ text, where, count, added }: FileStart) => (
  <>
    <p className="muted">
      {escapeHidden(where)}
      {count > 1 && `, and in ${counted(count - 1, 'other place')}`}
      {added === true && ', new since it was trusted'}
    </p>
    <pre>{escapeHidden(text)}</pre>
  </>
)
