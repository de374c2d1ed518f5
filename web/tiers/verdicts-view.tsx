import { useMemo, useState } from 'react'

import { dataOfBrief, type JointVerdict } from '../../src/playbooks/tiered/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { Verdict } from '../../src/work/verdicts/contract.ts'
import { briefState } from '../briefs/state.ts'
import { Disclosure } from '../parts/disclosure.tsx'
import { LongList } from '../parts/long-list.tsx'
import { LongTable } from '../parts/long-table.tsx'
import { Sign, type State, StateLabel } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'
import { VerdictItem, verdictState } from '../verdicts/verdict.tsx'
import type { ParsedDocument } from './documents.ts'
import { matrixOf, type MatrixRow } from './matrix.ts'
import { Source } from './source.tsx'
import { taskId, type Team } from './team.ts'

/** Shows the verdicts on every slice by attempt, their verifiers, and the joint verdict of each squad. */
export function VerdictsView({ inspection, team }: { inspection: Inspection; team: Team }) {
  const matrix = useMemo(() => matrixOf(inspection, team), [inspection, team])
  const [pointed, setPointed] = useState<string | null>(null)
  const [only, setOnly] = useState(false)
  const verdict = inspection.verdicts.find((each) => each.id === pointed)
  if (matrix.rows.length === 0)
    return <p className="none muted">No verdicts yet: verifiers start when the tasks are done.</p>
  const slices = matrix.rows.filter((row) => row.kind === 'slice').length
  const rows = only ? matrix.rows.filter(didNotPass) : matrix.rows
  return (
    <>
      <div className="view-bar facts">
        <span>
          {matrix.verified} of {counted(slices, 'slice')} verified
        </span>
        {matrix.faults.length > 0 && (
          <label className="check">
            <input type="checkbox" checked={only} onChange={(event) => setOnly(event.target.checked)} />
            Show only slices that did not pass
          </label>
        )}
      </div>
      <div className="scrolls" tabIndex={0} role="region" aria-label="Verdicts">
        <LongTable
          label="Verdicts by slice and attempt"
          columns={{
            Slice: '',
            State: '',
            ...Object.fromEntries(matrix.attempts.map((attempt) => [`Attempt ${attempt}`, '' as const])),
          }}
          rows={rows}
          keyOf={(row) => (row.kind === 'squad' ? row.squad.ref : row.task.id)}
          classOf={({ kind }) => (kind === 'squad' ? 'group-row' : undefined)}
          height={32}
          renderCells={(row) =>
            row.kind === 'squad' ? (
              <th scope="rowgroup" colSpan={2 + matrix.attempts.length}>
                <b>{row.squad.ref}</b> <Joint joint={row.joint} />
              </th>
            ) : (
              <>
                <td>
                  <Link to={addresses.brief(inspection.run.id, row.task.id)}>{taskId(row.task)}</Link>
                </td>
                <td>
                  <StateLabel state={briefState(row.task)} />
                </td>
                {matrix.attempts.map((attempt) => (
                  <td key={attempt}>
                    <Cell
                      task={row.task}
                      attempt={attempt}
                      verdict={row.verdicts.get(attempt)}
                      pointed={pointed}
                      onPoint={setPointed}
                    />
                  </td>
                ))}
              </>
            )
          }
        />
        {matrix.faults.length > 0 && (
          <section className="part">
            <h2>
              Failed and partial verdicts <span className="muted">newest first</span>
            </h2>
            <ol className="plain">
              <LongList items={matrix.faults} atOnce={20}>
                {({ task, verdict: each }) => (
                  <li key={each.id}>
                    <p>
                      <Link to={addresses.brief(inspection.run.id, task.id)}>
                        {dataOfBrief(task).label ?? taskId(task)}
                      </Link>
                    </p>
                    <ul className="plain">
                      <VerdictItem verdict={each} />
                    </ul>
                  </li>
                )}
              </LongList>
            </ol>
          </section>
        )}
      </div>
      {matrix.verified > 0 && (
        <div className="pointed" tabIndex={0} role="region" aria-label="Selected verdict">
          {verdict === undefined ? (
            <p className="muted">Point at a verdict, or focus it with Tab, to see its verifier and issues.</p>
          ) : (
            <ul className="plain">
              <VerdictItem verdict={verdict} />
            </ul>
          )}
        </div>
      )}
    </>
  )
}

const didNotPass = (row: MatrixRow): boolean =>
  row.kind === 'squad' || [...row.verdicts.values()].some(({ verdict }) => verdict !== 'pass')

function Cell({
  task,
  attempt,
  verdict,
  pointed,
  onPoint,
}: {
  task: HeldBrief
  attempt: number
  verdict: Verdict | undefined
  pointed: string | null
  onPoint: (id: string) => void
}) {
  if (verdict === undefined) return <span className="muted">{attempt <= task.attempts ? 'not verified' : ''}</span>
  const { tone, text } = verdictState(verdict)
  const wrong = [...verdict.missingEvidence, ...verdict.issues]
  return (
    <button
      type="button"
      className={`verdict-cell tone-${tone}`}
      aria-pressed={verdict.id === pointed}
      data-attempt={attempt}
      title={wrong.join('\n') || undefined}
      onPointerEnter={() => onPoint(verdict.id)}
      onFocus={() => onPoint(verdict.id)}
      onClick={() => onPoint(verdict.id)}
    >
      <Sign tone={tone} />
      {text}{' '}
      <span className="unseen">
        {taskId(task)}, attempt {attempt}
      </span>
      {wrong.length > 0 && <span className="muted figure">{counted(wrong.length, 'issue')}</span>}
    </button>
  )
}

const jointStates: Record<JointVerdict['joint_verdict'], State> = {
  pass: { tone: 'good', text: 'joint verdict: pass' },
  partial: { tone: 'bad', text: 'joint verdict: partial' },
  fail: { tone: 'bad', text: 'joint verdict: fail' },
}

function Joint({ joint }: { joint: ParsedDocument<JointVerdict> | null }) {
  if (joint === null) return <span className="muted">no joint verdict yet</span>
  const { content } = joint
  if (content === null) return <Source of={joint} />
  return (
    <>
      <StateLabel state={jointStates[content.joint_verdict]} />
      {content.failed_scopes.length > 0 && <span> needs rework: {content.failed_scopes.join(', ')}</span>}
      <Disclosure
        summary={`${counted(joint.artifact.version, 'round')}, ${counted(content.t5_results.length, 'result')}`}
      >
        {() => (
          <>
            <p className="written">{content.summary}</p>
            <ul className="plain">
              {content.t5_results.map(({ scope, verdict, verifier_id: verifier, issues, notes }, index) => (
                <li key={index}>
                  <p>
                    <StateLabel state={{ tone: verdict === 'pass' ? 'good' : 'bad', text: `${scope}: ${verdict}` }} />{' '}
                    <span className="muted">
                      {verifier} {notes}
                    </span>
                  </p>
                  {issues.map((issue, at) => (
                    <p key={at} className="issue">
                      {issue}
                    </p>
                  ))}
                </li>
              ))}
            </ul>
            <Source of={joint} />
          </>
        )}
      </Disclosure>
    </>
  )
}
