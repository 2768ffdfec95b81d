import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { serviceNames } from '@operon/contracts/services'
import { alertRules, runbooks } from './alerts.ts'
import { appPages } from './app-pages.ts'
import { composeFile } from './compose.ts'
import { dashboard } from './dashboard.ts'
import { pinned, readImages } from './images.ts'
import { kubernetesFiles } from './kubernetes.ts'

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '')

/** Every file that names the services, as the one list (`libs/contracts/src/services.ts`) wants it. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const images = readImages()
  const node = 'node:24-bookworm-slim'
  return {
    'compose.prod.yml': await composeFile(images, { demo: false }),
    // The file that `docker compose up` finds without a name.
    'docker-compose.yml': '# Written by `npm run generate`.\ninclude: [compose.prod.yml]\n',
    'docker-compose.demo.yml': await composeFile(images, { demo: true }),
    Tiltfile: tiltfile(),
    'deploy/observability/alerts.yml': alertRules(),
    'deploy/observability/dashboard.json': dashboard(),
    'docs/runbooks.md': runbooks(),
    'docs/apps.md': appPages(),
    ...(await kubernetesFiles()),
    'deploy/Dockerfile': text('deploy/Dockerfile').replaceAll(/^FROM node:\S+/gm, `FROM ${pinned(images, node)}`),
    'deploy/package.json': packageJson(text('deploy/package.json')),
  }
}

export async function staleFiles(): Promise<string[]> {
  return Object.entries(await generatedFiles()).flatMap(([path, wanted]) => (text(path) === wanted ? [] : [path]))
}

/** Writes what has changed, and answers what that was. */
export async function writeGenerated(): Promise<string[]> {
  const stale = await staleFiles()
  const files = await generatedFiles()
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), files[path]!)
  }
  return stale
}

/** The launchers start every service, so they depend on every service. */
function packageJson(now: string): string {
  const manifest = JSON.parse(now) as { dependencies: Record<string, string> }
  const others = Object.entries(manifest.dependencies).filter(([name]) => !name.startsWith('@operon/'))
  const ours = [...serviceNames, 'contracts', 'gateway', 'kit'].map((name) => [`@operon/${name}`, 'workspace:*'] as const)
  manifest.dependencies = Object.fromEntries([...others, ...ours].sort(([a], [b]) => (a < b ? -1 : 1)))
  return `${JSON.stringify(manifest, null, 2)}\n`
}

const tiltfile =
  () => `# Written by \`npm run generate\`. \`tilt up\`: the fleet of docker-compose.demo.yml; a saved file is copied into the running containers, which start again.
docker_compose('docker-compose.demo.yml')

docker_build(
    'operon',
    '.',
    dockerfile='deploy/Dockerfile',
    ignore=['**/node_modules', '**/dist', '**/.cache', '.git', '.operon'],
    live_update=[
        fall_back_on(['package.json', 'pnpm-lock.yaml', 'web']),
        sync('libs/contracts/src', '/app/libs/contracts/src'),
        sync('libs/kit/src', '/app/libs/kit/src'),
        sync('gateway/src', '/app/gateway/src'),
        sync('services', '/app/services'),
        restart_container(),
    ],
)

dc_resource('gateway', labels=['operon'], links=['http://localhost:8080'])
${serviceNames
  .map((name) => `dc_resource('${name}', labels=['operon']${name === 'sandbox' ? ", links=['http://localhost:8080/sandbox/inbox']" : ''})`)
  .join('\n')}

for store in ['roles', 'postgres', 'nats', 'redis', 'minio']:
    dc_resource(store, labels=['stores'])
`

/** A new service is loaded by its package, so the launchers depend on it before the other files can be made. */
function linkServices(): boolean {
  const path = 'deploy/package.json'
  const wanted = packageJson(text(path))
  if (text(path) === wanted) return false
  writeFileSync(join(root, path), wanted)
  return true
}

if (import.meta.main) {
  if (linkServices()) {
    console.log('operon: wrote deploy/package.json. Run `npx pnpm install`, then `npm run generate` again for the other files')
  } else {
    const written = await writeGenerated()
    console.log(written.length ? `operon: wrote ${written.join(', ')}` : 'operon: every generated file is as the list of services wants it')
  }
}
