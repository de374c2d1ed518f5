import type { Finding } from '../../src/work/attempts/contract.ts'
import { Sign, type Tone } from '../parts/state.tsx'
import { counted } from '../text.ts'

const order: readonly Finding['severity'][] = ['critical', 'high', 'medium', 'low', 'info']
const tones: Record<Finding['severity'], Tone> = {
  critical: 'bad',
  high: 'bad',
  medium: 'waiting',
  low: 'idle',
  info: 'idle',
}
const maxFindings = 100

/** Lists the findings of a reviewer, most severe first. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return <p className="muted">The reviewer has no findings.</p>
  const ordered = findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
  return (
    <details open={findings.length <= 10}>
      <summary>{counted(findings.length, 'finding')}</summary>
      <ul className="plain">
        {ordered.slice(0, maxFindings).map((finding, index) => (
          <li key={index} className="evidence">
            <Sign tone={tones[finding.severity]} />
            <div className="grow">
              <p className="written">
                <span className={`tone-${tones[finding.severity]}`}>{finding.severity}</span>: {finding.suggestion}
              </p>
              <code className="muted">
                {finding.file}
                {finding.line !== null && `:${finding.line}`}
              </code>
            </div>
          </li>
        ))}
        {ordered.length > maxFindings && <li className="muted">and {ordered.length - maxFindings} more</li>}
      </ul>
    </details>
  )
}
