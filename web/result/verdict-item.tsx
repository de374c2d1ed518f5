import { checkedText } from '../../src/kernel/checked.ts'
import type { Author, SheetVerdict } from '../../src/work/proof-sheets/contract.ts'
import { Disclosure } from '../parts/disclosure.tsx'
import { Sign } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { VisibleLines, VisibleText } from '../parts/visible-text.tsx'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'
import { verdictState } from '../verdicts/verdict.tsx'

/** Names the agent behind a claim or a verdict by its persona. */
export const AuthorName = ({ author }: { author: Pick<Author, 'persona' | 'name'> }) => (
  <Link to={addresses.persona(author.persona)}>
    <VisibleText text={author.name} />
  </Link>
)

/** The labels without which an author would be taken for more than it is. */
export const AuthorLabels = ({ author }: { author: Author }) => (
  <>
    <span className="label">{author.runtime}</span>
    {author.simulated && <span className="label">simulated</span>}
    <span className="label">{author.boxed ? 'boxed' : 'not boxed'}</span>
  </>
)

export function SheetVerdictItem({ verdict, folded = true }: { verdict: SheetVerdict; folded?: boolean }) {
  const state = verdictState(verdict)
  const problems = [...verdict.missingEvidence.map((text) => `missing: ${text}`), ...verdict.issues]
  const looked = (
    <ul className="plain">
      {verdict.checked.map((item, index) => (
        <li key={index}>
          <VisibleText text={checkedText(item)} />
        </li>
      ))}
    </ul>
  )
  return (
    <li className="evidence" data-verdict={verdict.verdict}>
      <Sign tone={state.tone} />
      <div className="grow">
        <p className="facts">
          <span>
            <span className={`tone-${state.tone}`}>verdict {state.text}</span>
            {verdict.by !== null && (
              <>
                {' '}
                by <AuthorName author={verdict.by} />
              </>
            )}
          </span>
          {verdict.by !== null && <AuthorLabels author={verdict.by} />}
          {!verdict.isCurrent && <span className="label">on attempt {verdict.attempt}, not the newest</span>}
          <span className="muted">
            <Ago at={verdict.at} />
          </span>
        </p>
        {verdict.notes.trim() !== '' && (
          <p className="written">
            <VisibleLines text={verdict.notes} />
          </p>
        )}
        {problems.map((text, index) => (
          <p key={index} className="issue">
            <VisibleText text={text} />
          </p>
        ))}
        {verdict.checked.length > 0 &&
          (folded ? (
            <Disclosure summary={`Looked at ${counted(verdict.checked.length, 'item')}`}>{() => looked}</Disclosure>
          ) : (
            looked
          ))}
      </div>
    </li>
  )
}
