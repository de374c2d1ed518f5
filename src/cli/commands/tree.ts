import { register, type Section } from '../declare.ts'
import { agentListCommand } from './agent/list.ts'
import { agentShowCommand } from './agent/show.ts'
import { answerCommand } from './answer.ts'
import { undoCommand } from './undo.ts'
import { approveCommand } from './approve.ts'
import { briefCommand } from './brief.ts'
import { budgetListCommand } from './budget/list.ts'
import { budgetSetCommand } from './budget/set.ts'
import { cancelCommand } from './cancel.ts'
import { catCommand } from './cat.ts'
import { retryCommand } from './retry.ts'
import { revertCommand } from './revert.ts'
import { completionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { costsCommand } from './costs.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { downCommand } from './down.ts'
import { eventsCommand } from './events.ts'
import { gatesCommand } from './gates.ts'
import { initCommand } from './init.ts'
import { forkCommand } from './fork.ts'
import { inspectCommand } from './inspect.ts'
import { jobsListCommand } from './jobs/list.ts'
import { jobsRetryCommand } from './jobs/retry.ts'
import { logCommand } from './log.ts'
import { mcpCommand } from './mcp.ts'
import { memoryMissionCommand } from './memory/mission.ts'
import { missionAmendCommand } from './mission/amend.ts'
import { missionCreateCommand } from './mission/create.ts'
import { missionListCommand } from './mission/list.ts'
import { missionSetCommand } from './mission/set.ts'
import { missionShowCommand } from './mission/show.ts'
import { newCommand } from './new.ts'
import { noteAddCommand } from './note/add.ts'
import { noteEscalateCommand } from './note/escalate.ts'
import { noteListCommand } from './note/list.ts'
import { noteResolveCommand } from './note/resolve.ts'
import { noteShowCommand } from './note/show.ts'
import { notifyListCommand } from './notify/list.ts'
import { notifyTestCommand } from './notify/test.ts'
import { openCommand } from './open.ts'
import { outputCommand } from './output.ts'
import { pathCommand } from './path.ts'
import { overviewCommand } from './overview.ts'
import { pauseCommand } from './pause.ts'
import { prDiffCommand } from './pr/diff.ts'
import { prListCommand } from './pr/list.ts'
import { prShowCommand } from './pr/show.ts'
import { proofCommand } from './proof.ts'
import { proveCommand } from './prove.ts'
import { questionAckCommand } from './question/ack.ts'
import { questionShowCommand } from './question/show.ts'
import { questionsCommand } from './questions.ts'
import { rejectCommand } from './reject.ts'
import { replyCommand } from './reply.ts'
import { repoListCommand } from './repo/list.ts'
import { repoSetCommand } from './repo/set.ts'
import { repoShowCommand } from './repo/show.ts'
import { reportCommand } from './report.ts'
import { resumeCommand } from './resume.ts'
import { runCommand } from './run.ts'
import { runsCommand } from './runs.ts'
import { sessionsListCommand } from './sessions/list.ts'
import { sessionsRevokeCommand } from './sessions/revoke.ts'
import { statusCommand } from './status.ts'
import { stopCommand } from './stop.ts'
import { talentImportCommand } from './talent/import.ts'
import { talentListCommand } from './talent/list.ts'
import { talentMapCommand } from './talent/map.ts'
import { talentPromptsCommand } from './talent/prompts.ts'
import { talentShowCommand } from './talent/show.ts'
import { trustCommand } from './trust.ts'
import { upCommand } from './up.ts'
import { watchCommand } from './watch.ts'
import { whoamiCommand } from './whoami.ts'
import { workspaceCatCommand } from './workspace/cat.ts'
import { workspaceCheckCommand } from './workspace/check.ts'
import { workspaceCreateCommand } from './workspace/create.ts'
import { workspaceDiskCommand } from './workspace/disk.ts'
import { workspaceExecCommand } from './workspace/exec.ts'
import { workspaceListCommand } from './workspace/list.ts'
import { workspaceLsCommand } from './workspace/ls.ts'
import { workspaceReviewCommand } from './workspace/review.ts'
import { workspaceRmCommand } from './workspace/rm.ts'
import { workspaceShowCommand } from './workspace/show.ts'
import { orgNoun } from './org.ts'

/** The whole command tree: the file of a command is its path, its handler is the `cli.ts` of its noun. */
export const commandTree: readonly Section[] = [
  {
    heading: 'Daemon:',
    commands: [
      register(upCommand, async () => (await import('../daemon.ts')).up),
      register(downCommand, async () => (await import('../daemon.ts')).down),
      register(overviewCommand, async () => (await import('../overview.ts')).overview),
      register(statusCommand, async () => (await import('../daemon.ts')).status),
      register(demoCommand, async () => (await import('../../daemon/demos/cli.ts')).playDemo),
      register(openCommand, async () => (await import('../daemon.ts')).open),
      register(doctorCommand, async () => (await import('../offline.ts')).doctor),
      register(configCommand, async () => (await import('../offline.ts')).config),
      register(pathCommand, async () => (await import('../path.ts')).path),
      {
        name: 'notify',
        summary: 'Test notifiers and list notifications',
        commands: [
          register(notifyTestCommand, async () => (await import('../../notify/cli.ts')).testNotifiers),
          register(notifyListCommand, async () => (await import('../../notify/cli.ts')).listNotifications),
        ],
      },
      {
        name: 'jobs',
        summary: 'List jobs that failed and try them again',
        examples: ['agency jobs', 'agency jobs retry job_7k2'],
        otherwise: 'list',
        commands: [
          register(jobsListCommand, async () => (await import('../../jobs/cli.ts')).listJobs),
          register(jobsRetryCommand, async () => (await import('../../jobs/cli.ts')).retryJob),
        ],
      },
      {
        name: 'sessions',
        summary: 'List the browsers that are signed in and sign them out',
        examples: ['agency sessions', 'agency sessions revoke --all'],
        otherwise: 'list',
        commands: [
          register(sessionsListCommand, async () => (await import('../../sessions/cli.ts')).listSessions),
          register(sessionsRevokeCommand, async () => (await import('../../sessions/cli.ts')).revokeSessions),
        ],
      },
    ],
  },
  {
    heading: 'Work:',
    commands: [
      register(runCommand, async () => (await import('../../work/runs/cli.ts')).startRun),
      register(newCommand, async () => (await import('../../work/composer/cli.ts')).newRun),
      register(initCommand, async () => (await import('../offline.ts')).init),
      register(trustCommand, async () => (await import('../../work/trusted-files/cli.ts')).trustFile),
      register(watchCommand, async () => (await import('../../work/runs/cli/watch.ts')).watchRun),
      {
        name: 'pr',
        summary: 'List and show the pull requests of runs',
        examples: ['agency pr list'],
        commands: [
          register(prListCommand, async () => (await import('../../work/pull-requests/cli.ts')).listPullRequests),
          register(prShowCommand, async () => (await import('../../work/pull-requests/cli.ts')).showPullRequest),
          register(prDiffCommand, async () => (await import('../../work/pull-requests/cli.ts')).showDiff),
        ],
      },
      {
        name: 'repo',
        summary: 'Show and set how work on a repository is checked',
        examples: ['agency repo show .', "agency repo set . --setup 'make deps'"],
        commands: [
          register(repoShowCommand, async () => (await import('../../work/repository-settings/cli.ts')).showRepository),
          register(repoSetCommand, async () => (await import('../../work/repository-settings/cli.ts')).setRepository),
          register(
            repoListCommand,
            async () => (await import('../../work/repository-settings/cli.ts')).listRepositories,
          ),
        ],
      },
      register(inspectCommand, async () => (await import('../../work/runs/cli/inspect.ts')).inspectRun),
      register(catCommand, async () => (await import('../../work/artifacts/cli.ts')).printArtifact),
      register(proofCommand, async () => (await import('../../work/proof-sheets/cli.ts')).showProof),
      register(proveCommand, async () => (await import('../../work/repeats/cli.ts')).proveRun),
      register(runsCommand, async () => (await import('../../work/runs/cli.ts')).listRuns),
      {
        name: 'agent',
        summary: 'List agents at work and past agents',
        examples: ['agency agent list --run run_7k2', 'agency agent show 12 --prompt'],
        commands: [
          register(agentListCommand, async () => (await import('../../work/agents/cli.ts')).listAgents),
          register(agentShowCommand, async () => (await import('../../work/agents/cli.ts')).showAgent),
        ],
      },
      register(cancelCommand, async () => (await import('../../work/runs/cli.ts')).cancelRun),
      register(retryCommand, async () => (await import('../../work/continuations/cli.ts')).retryRun),
      register(forkCommand, async () => (await import('../../work/continuations/cli.ts')).forkRun),
      register(revertCommand, async () => (await import('../../work/reverts/cli.ts')).revertRun),
      register(eventsCommand, async () => (await import('../../events/cli.ts')).listEvents),
      {
        name: 'mission',
        summary: 'Create, list and change missions',
        commands: [
          register(missionCreateCommand, async () => (await import('../../work/missions/cli.ts')).createMission),
          register(missionListCommand, async () => (await import('../../work/missions/cli.ts')).listMissions),
          register(missionShowCommand, async () => (await import('../../work/missions/cli.ts')).showMission),
          register(missionSetCommand, async () => (await import('../../work/missions/cli.ts')).setMission),
          register(missionAmendCommand, async () => (await import('../../work/amendments/cli.ts')).amend),
        ],
      },
      {
        name: 'memory',
        summary: 'Show what missions have settled',
        commands: [register(memoryMissionCommand, async () => (await import('../../memory/cli.ts')).showMissionMemory)],
      },
      register(outputCommand, async () => (await import('../../work/attempts/cli.ts')).showOutput),
      {
        name: 'workspace',
        summary: 'Manage the workspaces of missions and run single tasks in them',
        examples: [
          'agency workspace create mis_4x --path coding/webapp/app1',
          'agency workspace exec mis_4x --prompt "Add a README"',
        ],
        commands: [
          register(
            workspaceCreateCommand,
            async () => (await import('../../work/mission-workspaces/cli.ts')).createWorkspace,
          ),
          register(
            workspaceListCommand,
            async () => (await import('../../work/mission-workspaces/cli.ts')).listWorkspaces,
          ),
          register(
            workspaceShowCommand,
            async () => (await import('../../work/mission-workspaces/cli.ts')).showWorkspace,
          ),
          register(workspaceLsCommand, async () => (await import('../../work/mission-workspaces/cli.ts')).listFiles),
          register(workspaceCatCommand, async () => (await import('../../work/mission-workspaces/cli.ts')).printFile),
          register(
            workspaceCheckCommand,
            async () => (await import('../../work/mission-workspaces/cli.ts')).checkAccess,
          ),
          register(
            workspaceRmCommand,
            async () => (await import('../../work/mission-workspaces/cli.ts')).removeWorkspace,
          ),
          register(workspaceDiskCommand, async () => (await import('../../work/mission-workspaces/cli.ts')).showDisk),
          register(
            workspaceExecCommand,
            async () => (await import('../../work/mission-workspaces/executions/cli.ts')).execute,
          ),
          register(
            workspaceReviewCommand,
            async () => (await import('../../work/mission-workspaces/executions/cli.ts')).review,
          ),
        ],
      },
      register(stopCommand, async () => (await import('../../work/stops/cli.ts')).stopLaunches),
      register(resumeCommand, async () => (await import('../../work/stops/cli.ts')).resume),
    ],
  },
  {
    heading: 'Decisions:',
    commands: [
      register(gatesCommand, async () => (await import('../../work/gates/cli.ts')).listGates),
      register(approveCommand, async () => (await import('../../work/gates/cli.ts')).approveGate),
      register(rejectCommand, async () => (await import('../../work/gates/cli.ts')).rejectGate),
      register(pauseCommand, async () => (await import('../../work/gates/cli.ts')).pauseRun),
      register(questionsCommand, async () => (await import('../../work/questions/cli.ts')).listQuestions),
      {
        name: 'question',
        summary: 'Show one question, or mark it as seen',
        commands: [
          register(questionShowCommand, async () => (await import('../../work/questions/cli.ts')).showQuestion),
          register(questionAckCommand, async () => (await import('../../work/questions/cli.ts')).acknowledgeQuestion),
        ],
      },
      register(answerCommand, async () => (await import('../../work/questions/cli.ts')).answerQuestion),
      register(undoCommand, async () => (await import('../../work/decisions/cli.ts')).undoDecision),
      register(replyCommand, async () => (await import('../../work/gates/cli.ts')).reply),
    ],
  },
  {
    heading: 'Money:',
    commands: [
      register(costsCommand, async () => (await import('../../work/spends/cli.ts')).showCosts),
      {
        name: 'budget',
        summary: 'Set budgets and show what is left of them',
        commands: [
          register(budgetSetCommand, async () => (await import('../../work/budgets/cli.ts')).setBudget),
          register(budgetListCommand, async () => (await import('../../work/budgets/cli.ts')).listBudgets),
        ],
      },
    ],
  },
  {
    heading: 'Organisation:',
    commands: [
      orgNoun,
      {
        name: 'talent',
        summary: 'Manage the talent pool and the prompts of playbooks',
        commands: [
          register(talentListCommand, async () => (await import('../../talent/cli.ts')).listTalent),
          register(talentShowCommand, async () => (await import('../../talent/cli.ts')).showTalent),
          register(talentMapCommand, async () => (await import('../../talent/cli.ts')).mapTalent),
          register(talentImportCommand, async () => (await import('../../talent/cli.ts')).importTalent),
          register(talentPromptsCommand, async () => (await import('../../talent/cli.ts')).listPrompts),
        ],
      },
    ],
  },
  {
    heading: 'For agents:',
    commands: [
      register(briefCommand, async () => (await import('../../work/attempts/cli.ts')).showBrief),
      register(logCommand, async () => (await import('../../work/attempts/cli.ts')).writeLog),
      register(reportCommand, async () => (await import('../../work/reports/cli.ts')).report),
      register(whoamiCommand, async () => (await import('../../work/attempts/cli.ts')).whoami),
      register(mcpCommand, async () => (await import('../mcp.ts')).serveMcp),
      {
        name: 'note',
        summary: 'Record, resolve and escalate assumptions and doubts',
        commands: [
          register(noteAddCommand, async () => (await import('../../work/notes/cli.ts')).addNote),
          register(noteListCommand, async () => (await import('../../work/notes/cli.ts')).listNotes),
          register(noteShowCommand, async () => (await import('../../work/notes/cli.ts')).showNote),
          register(noteResolveCommand, async () => (await import('../../work/notes/cli.ts')).resolveNote),
          register(noteEscalateCommand, async () => (await import('../../work/notes/cli.ts')).escalateNote),
        ],
      },
    ],
  },
  {
    heading: 'Shell:',
    commands: [
      register(completionCommand, async (wholeTree) => (await import('../completion.ts')).printCompletion(wholeTree)),
    ],
  },
]
