import type { Run } from '../../src/work/runs/contract.ts'
import { modeLabels } from '../box/labels.ts'
import { Sign } from '../parts/state.tsx'
import { Commit } from '../pull-requests/commit.tsx'
import { nameOfRepository } from '../text.ts'

/** Shows the repository and branch of a run by their short names; the path is shown on hover. */
export function RepositoryName({ run: { repository } }: { run: Run }) {
  if (repository === null) return null
  const name = nameOfRepository(repository.path)
  return (
    <code className="muted repository-name" title={`${repository.path}, branch ${repository.branch}`}>
      {name} {repository.branch}
    </code>
  )
}

/** Shows repository, branch and workspace of a run, the mode of its agents, and warnings about the repository. */
export function RunRepository({ run }: { run: Run }) {
  const { repository, configuration, head } = run
  const mode = modeLabels[configuration.mode]
  if (repository === null && configuration.workspace === null) return null
  return (
    <>
      <p className="facts">
        {repository !== null && (
          <>
            <span className="branches">
              <span className="muted">repository</span> <code>{repository.path}</code>
            </span>
            <span>
              <span className="muted">branch</span> <code>{repository.branch}</code>
            </span>
            <span className="muted">
              from <Commit id={repository.base} />
              {head !== null && head !== repository.base && (
                <>
                  {' '}
                  to <Commit id={head} />
                </>
              )}
            </span>
          </>
        )}
        {configuration.workspace !== null && (
          <span className="branches">
            <span className="muted">workspace</span> <code>{configuration.workspace}</code>
          </span>
        )}
        <span className="label" title={mode.text}>
          {mode.name}
        </span>
      </p>
      {repository !== null && repository.warnings.length > 0 && (
        <ul className="plain warnings" aria-label="Warnings about the repository">
          {repository.warnings.map((warning, index) => (
            <li key={index}>
              <Sign tone="waiting" />
              <span>{warning}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
