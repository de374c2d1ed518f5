import { expect, it } from 'vitest'

import { suggestProofs } from './suggest-proofs.ts'

const suggested = async (files: Record<string, string>): Promise<string[]> => {
  const read = async (name: string): Promise<string | null> => files[name] ?? null
  return (await suggestProofs({ names: new Set(Object.keys(files)), read })).map(({ run }) => run)
}

it.each<[string, Record<string, string>, string[]]>([
  ['npm', { 'package.json': '{"scripts":{"test":"x","build":"y"}}' }, ['npm test', 'npm run build']],
  ['bun', { 'package.json': '{"scripts":{"test":"x"}}', 'bun.lock': '' }, ['bun run test']],
  ['yarn', { 'package.json': '{"scripts":{"test":"x"}}', 'yarn.lock': '' }, ['yarn test']],
  ['make', { Makefile: '.PHONY: test\nCHECK := 1\ntest: build\n\tx\nlint:\n\ty\n' }, ['make test', 'make lint']],
  [
    'uv',
    { 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]\n', 'uv.lock': '' },
    ['uv run pytest', 'uv run ruff check .'],
  ],
  ['cargo', { 'Cargo.toml': '[package]' }, ['cargo test', 'cargo clippy -- -D warnings']],
  ['go', { 'go.mod': 'module x' }, ['go test ./...', 'go vet ./...']],
  ['.NET', { 'shop.csproj': '<Project/>', 'shop.sln': '' }, ['dotnet test']],
  ['a gradle wrapper', { 'build.gradle.kts': '', gradlew: '' }, ['./gradlew test']],
])('suggests the commands of %s', async (_, files, expected) => {
  expect(await suggested(files)).toEqual(expected)
})

it('suggests nothing for the script that always fails, and for files that cannot be read', async () => {
  const scripts = { test: 'echo "Error: no test specified" && exit 1' }
  expect(await suggested({ 'package.json': JSON.stringify({ scripts }) })).toEqual([])
  expect(await suggested({ 'package.json': '{"scripts": {"test": 1}}' })).toEqual([])
  expect(await suggested({ 'package.json': 'not JSON' })).toEqual([])
})
