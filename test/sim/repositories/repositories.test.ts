// @suite process

import { realpathSync } from 'node:fs'

import { createMemoryWorkspaces } from '../../../src/workspaces/memory.ts'
import { makeRepository, openRepositories } from '../../support/repository.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'
import { repositoriesContract } from './contract-suite.ts'
import { createMemoryGit, main } from './memory-git.ts'
import { createMemoryRepositories } from './memory-repositories.ts'

const files = { 'README.md': 'hello\n', '.gitignore': '*.log\n' }

repositoriesContract('real', async () => {
  const repository = makeRepository(files)
  const { repositories, workspaces } = openRepositories()
  return {
    repositories,
    workspaces,
    path: realpathSync(repository.path),
    commit: async (more) => {
      for (const [name, text] of Object.entries(more)) repository.write(name, text)
      return repository.commit('more')
    },
    head: async () => repository.git('rev-parse', 'main'),
    setDirty: async (isDirty) => repository.write('README.md', isDirty ? 'changed\n' : 'hello\n'),
  }
})

repositoriesContract('in-memory', async () => {
  const git = createMemoryGit(createVirtualClock())
  const workspaces = createMemoryWorkspaces({ git })
  const repository = git.begin('memory:shop', new Map(Object.entries(files)))
  return {
    repositories: createMemoryRepositories({ git, filesAt: workspaces.filesAt }),
    workspaces,
    path: repository.path,
    commit: async (more) => git.commit(repository.path, new Map(Object.entries(more)), 'more'),
    head: async () => repository.refs.get(main) as string,
    setDirty: async (isDirty) => void (repository.isDirty = isDirty),
  }
})
