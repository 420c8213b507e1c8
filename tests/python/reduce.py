"""Makes a program smaller while it keeps failing: greedy, by dropping parts of its JSON."""

import copy


def regions_of(sdfg):
    """Every region of an SDFG, the SDFG itself first, without nested SDFGs."""
    work = [sdfg]
    while work:
        region = work.pop(0)
        yield region
        for block in region["nodes"]:
            if block["type"] == "ConditionalBlock":
                work += [branch[1] for branch in block["branches"]]
            elif block["type"] != "SDFGState" and block.get("nodes") is not None:
                work.append(block)


def states_of(sdfg):
    return [block for region in regions_of(sdfg) for block in region["nodes"]
            if block["type"] == "SDFGState"]


def drop_block(region, index):
    """Takes a block out; what led to it leads to what it led to."""
    before = [e for e in region["edges"] if e["dst"] == str(index) and e["src"] != str(index)]
    after = [e for e in region["edges"] if e["src"] == str(index) and e["dst"] != str(index)]
    kept = [e for e in region["edges"] if str(index) not in (e["src"], e["dst"])]
    pairs = {(e["src"], e["dst"]) for e in kept}
    for first in before:
        for second in after:
            if (first["src"], second["dst"]) not in pairs:
                pairs.add((first["src"], second["dst"]))
                one = first["attributes"]["data"]["attributes"]
                other = second["attributes"]["data"]["attributes"]
                joined = copy.deepcopy(first)
                joined["dst"] = second["dst"]
                joined["attributes"]["data"]["attributes"] = {**one, **other}
                kept.append(joined)
    region["edges"] = kept
    del region["nodes"][index]
    for edge in kept:
        for end in ("src", "dst"):
            if int(edge[end]) > index:
                edge[end] = str(int(edge[end]) - 1)
    for number, block in enumerate(region["nodes"]):
        block["id"] = number


def drop_nodes(state, gone):
    """Takes nodes out of a state, whole scopes with their entry."""
    gone = set(gone)
    for index, node in enumerate(state["nodes"]):
        if node["scope_entry"] is not None and int(node["scope_entry"]) in gone:
            gone.add(index)
    for index, node in enumerate(state["nodes"]):
        if node["scope_entry"] is not None and int(node["scope_entry"]) in gone:
            gone.add(index)
    new = {}
    for index in range(len(state["nodes"])):
        if index not in gone:
            new[str(index)] = str(len(new))
    state["edges"] = [e for e in state["edges"] if e["src"] in new and e["dst"] in new]
    state["nodes"] = [n for i, n in enumerate(state["nodes"]) if i not in gone]
    for edge in state["edges"]:
        edge["src"], edge["dst"] = new[edge["src"]], new[edge["dst"]]
    used = {end for e in state["edges"] for end in (e["src"], e["dst"])}
    for index, node in enumerate(state["nodes"]):
        node["id"] = index
        for key in ("scope_entry", "scope_exit"):
            if node[key] is not None:
                node[key] = new[node[key]]
        connectors(state, index)
    lonely = [i for i, n in enumerate(state["nodes"])
              if n["type"] == "AccessNode" and str(i) not in used]
    if lonely:
        drop_nodes(state, lonely)
        return
    scopes(state)


def scopes(state):
    tree = {"-1": []}
    for index, node in enumerate(state["nodes"]):
        inside = node["scope_entry"] or "-1"
        tree.setdefault(inside, []).append(index)
    state["scope_dict"] = tree


def connectors(state, index):
    """Connectors that no edge uses any more go, except those of code."""
    attributes, kind = state["nodes"][index]["attributes"], state["nodes"][index]["type"]
    if kind not in ("MapEntry", "MapExit", "AccessNode"):
        return
    for key, end, name in (("in_connectors", "dst", "dst_connector"),
                           ("out_connectors", "src", "src_connector")):
        used = {e[name] for e in state["edges"] if e[end] == str(index)}
        if key in attributes:
            attributes[key] = {c: t for c, t in attributes[key].items() if c in used}


def variants(program):
    """Smaller programs, those that leave out most first."""
    for r, region in enumerate(list(regions_of(program))):
        for index, block in enumerate(region["nodes"]):
            if len(region["nodes"]) > 1:
                smaller = copy.deepcopy(program)
                drop_block(list(regions_of(smaller))[r], index)
                yield smaller
            bodies = []
            if block["type"] == "ConditionalBlock":
                bodies = range(len(block["branches"]))
            elif block["type"] not in ("SDFGState", "BreakBlock", "ContinueBlock", "ReturnBlock"):
                bodies = [None]
            for branch in bodies:
                smaller = copy.deepcopy(program)
                inline(list(regions_of(smaller))[r], index, branch)
                yield smaller
            for branch in bodies if len(bodies) > 1 else ():
                smaller = copy.deepcopy(program)
                del list(regions_of(smaller))[r]["nodes"][index]["branches"][branch]
                yield smaller
    for s, state in enumerate(states_of(program)):
        top = [i for i, n in enumerate(state["nodes"])
               if n["scope_entry"] is None and n["type"] != "MapExit"]
        if len(top) > 1:
            yield with_state(program, s, lambda st, top=top: drop_nodes(st, top))
        for index in top:
            yield with_state(program, s, lambda st, index=index: drop_nodes(st, [index]))
        for index in range(len(state["edges"])):
            yield with_state(program, s, lambda st, index=index: drop_edge(st, index))
        for index in range(len(state["edges"])):
            yield with_state(program, s, lambda st, index=index: drop_path(st, index))
    for r, region in enumerate(regions_of(program)):
        for e, edge in enumerate(region["edges"]):
            for key in edge["attributes"]["data"]["attributes"]:
                smaller = copy.deepcopy(program)
                del list(regions_of(smaller))[r]["edges"][e]["attributes"]["data"]["attributes"][key]
                yield smaller
    text = str(program["nodes"]) + str(program["edges"])
    unused = [n for n in program["attributes"]["_arrays"] if f"'{n}'" not in text
              and f"{n}[" not in text]
    if unused:
        smaller = copy.deepcopy(program)
        for name in unused:
            del smaller["attributes"]["_arrays"][name]
        smaller["attributes"]["arg_names"] = [
            a for a in smaller["attributes"].get("arg_names", []) if a not in unused]
        yield smaller


def with_state(program, index, change):
    smaller = copy.deepcopy(program)
    change(states_of(smaller)[index])
    return smaller


def drop_edge(state, index):
    del state["edges"][index]
    drop_nodes(state, [])


def drop_path(state, index):
    """An edge with all of its way through scopes, and the connector of the tasklet at its end."""
    edge = state["edges"][index]
    work, gone = [edge], []
    while work:
        now = work.pop()
        gone.append(now)
        for other in state["edges"]:
            if other in gone or other in work:
                continue
            if (other["src"] == now["dst"] and (other["src_connector"] or "")[:4] == "OUT_"
                    and (now["dst_connector"] or "")[3:] == other["src_connector"][4:]) or \
               (other["dst"] == now["src"] and (other["dst_connector"] or "")[:3] == "IN_"
                    and (now["src_connector"] or "")[4:] == other["dst_connector"][3:]):
                work.append(other)
    state["edges"] = [e for e in state["edges"] if e not in gone]
    for edge in gone:
        for end, name, key in (("dst", "dst_connector", "in_connectors"),
                               ("src", "src_connector", "out_connectors")):
            node = state["nodes"][int(edge[end])]
            if node["type"] == "Tasklet" and edge[name]:
                node["attributes"][key].pop(edge[name], None)
                text = node["attributes"]["code"]
                if key == "in_connectors":
                    text["string_data"] = text["string_data"].replace(edge[name], "1")
    drop_nodes(state, [])


def inline(region, index, branch):
    """Puts the body of a region, or of one branch, in its block's place."""
    block = region["nodes"][index]
    body = block if branch is None else block["branches"][branch][1]
    if not body["nodes"]:
        return
    region["nodes"][index] = body["nodes"][0]
    places = [index]
    for inner in body["nodes"][1:]:
        places.append(len(region["nodes"]))
        region["nodes"].append(inner)
    ends = [i for i in range(len(body["nodes"]))
            if not any(e["src"] == str(i) for e in body["edges"])]
    last = places[ends[0]] if ends else index
    for edge in region["edges"]:
        if edge["src"] == str(index):
            edge["src"] = str(last)
    for edge in body["edges"]:
        moved = copy.deepcopy(edge)
        moved["src"], moved["dst"] = str(places[int(edge["src"])]), str(places[int(edge["dst"])])
        region["edges"].append(moved)
    for number, inner in enumerate(region["nodes"]):
        inner["id"] = number


def reduced(program, fails, budget=600):
    """The smallest program found for which `fails` holds; it is called at most `budget` times."""
    progress = True
    while progress and budget > 0:
        progress = False
        for smaller in variants(program):
            if budget <= 0:
                break
            budget -= 1
            if fails(smaller):
                program, progress = smaller, True
                break
    return program
