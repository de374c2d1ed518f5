import { readFileSync } from 'node:fs'

import { templatePath } from '../entries.ts'
import { renderTemplate } from '../kernel/template.ts'
import { fold } from '../kernel/text.ts'
import { directorRole } from './governance.ts'
import type { Content } from './stage.ts'

/** The initial texts of new organisations and personas. They are data: no code depends on their content. */
export const intentText = (name: string): string => renderTemplate(text('intent'), { name })

export const behaviourGuide = (): string => text('org-behaviour-guide')

export const workingHeading = 'Working in an organisation'

export const workingSection = (role: string): string =>
  text(fold(role) === directorRole ? 'working-ar-director' : 'working').trim()

export const skillText = (name: string, role: string): string =>
  renderTemplate(text('skill'), { name, role, working: workingSection(role) })

export const experienceText = (name: string, at: string): string =>
  renderTemplate(text('experience'), { name, date: at.slice(0, 10) })

/** Returns the staged content of a persona's directory at `folder`. */
export const personaFiles = (folder: string, skill: string, experience: string): Content => ({
  [`${folder}/skill.md`]: skill,
  [`${folder}/experience.md`]: experience,
  [`${folder}/handoffs/`]: '',
})

const text = (name: string): string => readFileSync(templatePath(name), 'utf8')
