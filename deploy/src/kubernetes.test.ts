import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { serviceNames } from '@operon/contracts/services'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Secret, Service } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { isSecret } from './kubernetes.ts'
import { knownVariables } from './services.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string): any[] =>
  parseAllDocuments(readFileSync(join(root, 'deploy/kubernetes', file), 'utf8')).map((document) => document.toJS())
const [fleet, settings, secrets, migrate] = ['operon.yaml', 'settings.yaml', 'secrets.yaml', 'migrate.yaml'].map(read) as [
  any[],
  any[],
  any[],
  any[],
]
const processes = ['gateway', ...serviceNames.filter((name) => name !== 'sandbox')]
const ofKind = (kind: string) => fleet.filter((each) => each.kind === kind)
const schemas = { ConfigMap, Secret, Service, Deployment, Job, HorizontalPodAutoscaler, NetworkPolicy, PodDisruptionBudget }

const validate = (manifest: any) => new schemas[manifest.kind as keyof typeof schemas](manifest).validate()

test("every manifest is what Kubernetes' schemas ask for, and one that is not is refused", () => {
  for (const manifest of [...fleet, ...settings, ...secrets, ...migrate])
    expect(() => validate(manifest), manifest.metadata.name).not.toThrow()
  const broken = structuredClone(ofKind('Deployment')[0])
  broken.spec.template.spec.containers[0].ports[0].containerPort = 'eighty'
  expect(() => validate(broken)).toThrow()
  const without = structuredClone(ofKind('Deployment')[0])
  delete without.spec.selector
  expect(() => validate(without)).toThrow()
})

test('each service has a deployment with probes and a drain, an address, a budget for disruptions and an autoscaler', () => {
  for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'])
    expect(
      ofKind(kind).map(({ metadata }) => metadata.name),
      kind,
    ).toEqual(processes)
  for (const { metadata, spec } of ofKind('Deployment')) {
    const [container] = spec.template.spec.containers
    expect(container, metadata.name).toMatchObject({
      startupProbe: { httpGet: { path: '/healthz' } },
      livenessProbe: { httpGet: { path: '/healthz' } },
      readinessProbe: { httpGet: { port: 'http' } },
      lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
      securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    })
    // preStop and the 24 seconds that a process takes at most to drain.
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(5 + 24)
    expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
  }
})

test('each name that a manifest refers to is there', () => {
  const maps = new Set(settings.map(({ metadata }) => metadata.name))
  const kept = new Set(secrets.map(({ metadata }) => metadata.name))
  const containers = [...ofKind('Deployment'), ...migrate].flatMap(({ spec }) => spec.template.spec.containers)
  for (const { envFrom, name } of containers)
    for (const { configMapRef, secretRef } of envFrom) {
      if (configMapRef) expect(maps, name).toContain(configMapRef.name)
      if (secretRef) expect(kept, name).toContain(secretRef.name)
    }
  for (const { spec } of ofKind('HorizontalPodAutoscaler')) expect(processes).toContain(spec.scaleTargetRef.name)
  const upstreams = settings.find(({ metadata }) => metadata.name === 'operon-gateway').data
  for (const name of processes.slice(1))
    expect(upstreams[`UPSTREAM_${name.toUpperCase().replaceAll('-', '_')}`]).toBe(`http://${name}:8080`)
})

test('every setting can be given, secrets only as secrets, without a value, and each process sees its own alone', async () => {
  const known = await knownVariables()
  const inMaps = settings.flatMap(({ data }) => Object.keys(data))
  const inSecrets = secrets.flatMap(({ stringData }) => Object.keys(stringData))
  expect([...inMaps, ...inSecrets].filter((name) => !known.has(name))).toEqual([])
  expect(inMaps.filter(isSecret)).toEqual([])
  for (const name of ['STRIPE_SECRET_KEY', 'OPENAI_API_KEY', 'MASTER_KEY', 'SERVICE_KEY', 'METRICS_TOKEN', 'BUS_URL', 'SMTP_URL'])
    expect(inSecrets).toContain(name)
  expect(secrets.flatMap(({ stringData }) => Object.values(stringData)).filter(Boolean)).toEqual([])
  expect([...inMaps, ...inSecrets]).not.toContain('SANDBOX_KEY')
  for (const { metadata, stringData } of secrets)
    expect(Object.keys(stringData).filter((name) => name.startsWith('DATABASE_URL')).length, metadata.name).toBeLessThanOrEqual(1)
})

test('databases are migrated by a job of each service, and nobody but the gateway is open to the world', () => {
  expect(migrate[0].spec.template.spec.containers.map(({ name, command }: any) => [name, command.at(-1)])).toEqual(
    processes.slice(1).map((name) => [name, '--migrate']),
  )
  const open = ofKind('NetworkPolicy').filter(({ spec }) => spec.ingress.some((rule: any) => !rule.from))
  expect(open.map(({ spec }) => spec.podSelector.matchLabels['app.kubernetes.io/name'])).toEqual(['gateway'])
  const behind = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === 'operon-services')
  expect(behind.spec.podSelector.matchExpressions[0].values).toEqual(processes.slice(1))
})
