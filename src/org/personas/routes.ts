import { bind, type Route } from '../../operations/bind.ts'
import { personaOperations } from './contract.ts'
import type { Personas } from './service.ts'

export const personaRoutes = (personas: Personas): Route[] =>
  bind(personaOperations, {
    create: (by, input) => personas.create(by, input),
    list: (_, input) => personas.list(input),
    active: () => personas.list({ active: true, all: false }),
    show: (_, { persona }) => personas.show(persona),
    update: (by, { persona, ...patch }) => personas.update(by, persona, patch),
    archive: (by, { persona, ...options }) => personas.archive(by, persona, options),
    readSkill: (_, { persona }) => personas.readSkill(persona),
    writeSkill: (by, { persona, text }) => personas.writeSkill(by, persona, text),
    readExperience: (_, { persona }) => personas.readExperience(persona),
    appendExperience: (by, { persona, text }) => personas.appendExperience(by, persona, text),
    writeExperience: (by, { persona, text }) => personas.writeExperience(by, persona, text),
    importFiles: (by, input) => personas.importFiles(by, input),
  })
