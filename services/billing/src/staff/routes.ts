import * as plans from '@operon/contracts/billing/plans-staff'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { type Deps, withDeps } from '../deps.ts'
import { staffCoupons, staffCreateCoupon, staffEndCoupon } from './coupons.ts'
import { staffFigureRows, staffFigures } from './figures.ts'
import { staffCancelPlan, staffCredit } from './plans.ts'
import { staffClearSuspense, staffSuspense } from './suspense.ts'

export function planStaffRoutes(app: Runtime['app'], deps: Deps) {
  const by = withDeps(deps)
  serve(app, plans.staffCancelPlan, by(staffCancelPlan))
  serve(app, plans.staffCredit, by(staffCredit))
  serve(app, plans.staffSuspense, staffSuspense)
  serve(app, plans.staffClearSuspense, staffClearSuspense)
  serve(app, plans.staffFigures, staffFigures)
  serve(app, plans.staffFigureRows, staffFigureRows)
  serve(app, plans.staffCoupons, by(staffCoupons))
  serve(app, plans.staffCreateCoupon, by(staffCreateCoupon))
  serve(app, plans.staffEndCoupon, by(staffEndCoupon))
}
