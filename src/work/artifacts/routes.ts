import { bind, type Route } from '../../operations/bind.ts'
import { artifactOperations } from './contract.ts'
import type { Artifacts } from './service.ts'

export const artifactRoutes = (artifacts: Artifacts): Route[] =>
  bind(artifactOperations, {
    list: (_, { runId }) => artifacts.list(runId),
    show: (_, { artifactId, ...part }) => artifacts.show(artifactId, part),
    file: (_, { artifactId }) => artifacts.file(artifactId),
  })
