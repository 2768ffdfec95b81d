import { dashboardStats } from '@operon/contracts/analytics/api'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { dashboardFigures } from './figures.ts'

export function dashboardRoutes({ app }: Runtime) {
  serve(app, dashboardStats, dashboardFigures)
}
