"""Defects of the reference that kumiko does not copy, by what a case must have for them to show.

A difference outside of these fails the comparison. Each function says whether the defect can make the reference answer
differently on this case in this way: `what` is the kind of difference, as compare.difference() names it."""
import case_generator as generator
import quantities

MOST_MILLI = quantities.quantity("9223372036854775807m")


def milli_range_for_whole_numbers(case, what):
    """With fractions on, whole bounds are counted in milli units too, so that requests beyond that are errors."""
    features = case["features"]
    if not features.get("FractionalCapacityRange") or not what.startswith(("fatal error there", "error text")):
        return False
    large = {name for body in generator.all_bodies(case)
             for name, amount in body.get("capacity", {}).get("requests", {}).items()
             if quantities.quantity(amount) > MOST_MILLI}
    return any(name in large and "step" in bounds and all(
        quantities.quantity(b).denominator == 1 for b in bounds.values())
        for _, device in generator.all_devices(case) for name, capacity in device.get("capacity", {}).items()
        for bounds in [capacity.get("requestPolicy", {}).get("validRange", {})])


def all_on_unusable_pool(case, what):
    """A request for all devices with an incomplete or invalid pool about concerns one node; the reference gives up on
    all."""
    return what == "fatal error there, error of this node here" and any(
        body.get("allocationMode") == "All" for body in generator.all_bodies(case))


def exclusive_use_of_shared_device(case, what):
    """A device with live shares is given away whole, once its driver or a gate stopped allowing several."""
    state = case["allocated"]
    shared = {(e["driver"], e["pool"], e["device"]) for e in state.get("shared", []) + state.get("capacity", [])}
    for claim in state.get("claims", ()):
        for e in claim["status"]["allocation"]["devices"]["results"]:
            if "shareID" in e:
                shared.add((e["driver"], e["pool"], e["device"]))
    return what.startswith(("fit there", "result", "error text", "fatal error there")) and any(
        not (device.get("allowMultipleAllocations") and case["features"].get("ConsumableCapacity"))
        and (part["spec"]["driver"], part["spec"]["pool"]["name"], device["name"]) in shared
        for part, device in generator.all_devices(case))


# What the reference may say where kumiko has more devices to choose from. It may also reach a device that fails.
FEWER = ("no fit there", "error of this node there", "result", "error text", "fatal error there, fit here")


def admin_access_to_partition(case, what):
    """Looking at a partition in use fails for lack of counters."""
    return what.startswith(FEWER) and case["features"].get("AdminAccess") and any(
        b.get("adminAccess") for b in generator.all_bodies(case)) and any(
        device.get("consumesCounters") for _, device in generator.all_devices(case))


def admin_access_before_use(case, what):
    """What was picked to be looked at cannot be picked to be used. So a later request for all devices does not get as
    far as the constraint that ends the search here."""
    admin = False
    for body in generator.all_bodies(case):
        if admin and not body.get("adminAccess"):
            return what.startswith(FEWER) or (what.startswith("fit there, fatal error here") and
                                              body.get("allocationMode") == "All")
        admin = admin or bool(body.get("adminAccess"))
    return False


def contradicting_groups(case, what):
    """Devices in use that no allocator would have given out together: groups and none, or nothing in common, on one
    counter set. The reference adds them up in the order of slices, which differs from node to node."""
    if not case["features"].get("CompatibilityGroups"):
        return False
    state = case["allocated"]
    held = {(e["driver"], e["pool"], e["device"])
            for e in state.get("devices", []) + state.get("shared", []) + state.get("capacity", [])}
    for claim in state.get("claims", ()):
        for e in claim["status"]["allocation"]["devices"]["results"]:
            held.add((e["driver"], e["pool"], e["device"]))
    groups = {}
    for part, device in generator.all_devices(case):
        pool = (part["spec"]["driver"], part["spec"]["pool"]["name"])
        if (*pool, device["name"]) in held:
            for draw in device.get("consumesCounters") or ():
                of_set = groups.setdefault((*pool, draw.get("counterSet")), [])
                of_set.append(set(draw.get("compatibilityGroups") or ()))
    return any(any(g) != all(g) or (all(g) and not set.intersection(*g)) for g in groups.values())


DEFECTS = {"D3": milli_range_for_whole_numbers, "D10": all_on_unusable_pool, "D2": exclusive_use_of_shared_device,
           "D13": admin_access_to_partition, "D14": admin_access_before_use,
           "groups in contradiction": contradicting_groups}


def excuse(case, what):
    """The defect that explains the difference; "" when none does."""
    for name, shows in DEFECTS.items():
        if shows(case, what):
            return name
    return ""
