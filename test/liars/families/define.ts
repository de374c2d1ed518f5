import type { End, Family, Lie, Scene, Work } from '../contract.ts'
import type { Names } from '../names.ts'
import { lines, nodeProject, type Project, pythonProject, sceneOf } from '../projects.ts'

type Draft = Omit<Lie, 'family' | 'name' | 'about' | 'end' | 'scene'>

/** The parts of a scene in which a lie differs from plain work on a project. */
export type Difference = Partial<Omit<Scene, 'lie' | 'honest'>> & {
  readonly lie: string | Work
  readonly honest?: string | Work
}

/** Defines the lies of a family. */
export function definer(family: Family) {
  const define = (name: string, about: string, end: End, scene: (names: Names) => Scene, more: Draft = {}): Lie => ({
    family,
    name,
    about,
    end,
    scene,
    ...more,
  })
  const about =
    (projectOf: (names: Names) => Project, needs: readonly string[]) =>
    (
      name: string,
      sentence: string,
      end: End,
      differ: (project: Project, names: Names) => Difference,
      more: Draft = {},
    ): Lie =>
      define(
        name,
        sentence,
        end,
        (names) => {
          const project = projectOf(names)
          const { lie, honest = lines(project.right, `claim ${project.module}`), ...rest } = differ(project, names)
          return { ...sceneOf(project), ...rest, lie: workOf(lie), honest: workOf(honest) }
        },
        { ...more, needs: [...needs, ...(more.needs ?? [])] },
      )
  return {
    define,
    /** A lie about a project of Node whose test starts with npm or directly. */
    node: about(nodeProject, ['npm']),
    npm: about((names) => nodeProject(names, { npm: true }), ['npm']),
    plain: about((names) => nodeProject(names, { npm: false }), []),
    python: about(pythonProject, ['python3']),
  }
}

const workOf = (work: string | Work): Work => (typeof work === 'string' ? { script: work } : work)
